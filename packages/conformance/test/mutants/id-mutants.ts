import { randomBytes } from 'node:crypto';
import type { Id } from '@ids/core';
import { alter, mapIds } from '../references/alter.js';
import { open as openLocal } from '../references/local.js';
import { open as openSegments } from '../references/segments.js';
import { open as openStamps, stampGuarantees } from '../references/stamps.js';
import { memoryTickets } from './memory-tickets.js';
import type { Mutant } from './mutant.js';

const ONE_CASE = 'issues no two ids that differ in case only, unless it says so';
const TYPE_AND_FORM = 'issues ids of the type and string form it claims, the 100,000th as well as the first';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DECIMAL = { pattern: /\d+/, maxLength: 16, sortable: false } as const;
const BASE62 = { pattern: /[0-9A-Za-z]+/, maxLength: 20, sortable: true } as const;

export const idMutants: readonly Mutant[] = [
  {
    name: 'gives one text among 10,000 numbers',
    fails: TYPE_AND_FORM,
    saying: /10000, "10000", is not of the claimed type/,
    like: 'tickets',
    open: async () => mapIds(await memoryTickets(), (id, index) => (index === 9_999 ? String(id) : id)),
  },
  {
    name: 'gives another type from its synchronous calls',
    fails: TYPE_AND_FORM,
    saying: /is not of the claimed type/,
    like: 'segments',
    open: async (context) => {
      const generator = await openSegments(context);
      return alter(generator, { nextSync: () => Number(generator.nextSync()) });
    },
  },
  {
    name: 'gives numbers that are not exact',
    fails: TYPE_AND_FORM,
    saying: /not an exact whole number/,
    like: 'tickets',
    open: async () => mapIds(await memoryTickets(), (id) => Number(id) + 2 ** 53),
  },
  {
    name: 'ends a text with a line feed',
    fails: TYPE_AND_FORM,
    saying: /does not match/,
    like: 'stamps',
    open: async () => mapIds(await openStamps(), (id, index) => (index === 9_999 ? `${id}\n` : id)),
  },
  {
    name: 'begins a text with a prefix that its pattern lacks',
    fails: TYPE_AND_FORM,
    saying: /does not match/,
    like: 'stamps',
    open: async () => mapIds(await openStamps(), (id) => `order-${id}`),
  },
  {
    name: 'gives texts longer than it says',
    fails: TYPE_AND_FORM,
    saying: /is longer than 3/,
    like: 'tickets',
    claims: { text: { pattern: /\d+/, maxLength: 3, sortable: false } },
    open: memoryTickets,
  },
  {
    name: 'gives strings shorter than it says',
    fails: TYPE_AND_FORM,
    saying: /is shorter than 12/,
    like: 'tickets',
    claims: { text: { ...DECIMAL, minLength: 12 } },
    open: memoryTickets,
  },
  {
    name: 'gives strings without the prefix that it states',
    fails: TYPE_AND_FORM,
    saying: /does not begin with "o"/,
    like: 'tickets',
    claims: { text: { ...DECIMAL, prefix: 'o' } },
    open: memoryTickets,
  },
  {
    name: 'gives characters that are not in its alphabet',
    fails: TYPE_AND_FORM,
    saying: /has "9", which is not in its alphabet/,
    like: 'tickets',
    claims: { text: { ...DECIMAL, alphabet: '012345678' } },
    open: memoryTickets,
  },
  {
    name: 'gives texts that are too long after 90,000 ids',
    fails: TYPE_AND_FORM,
    saying: /id number 90001, .* is longer than 34/,
    like: 'stamps',
    claims: { text: { ...stampGuarantees.text, pattern: /[0-9a-f-]+/ } },
    open: async () => mapIds(await openStamps(), (id, index) => (index < 90_000 ? id : `${id}0000`)),
  },
  {
    name: 'gives texts that leave the pattern after 90,000 ids',
    fails: TYPE_AND_FORM,
    saying: /id number 90001, .* does not match/,
    like: 'stamps',
    open: async () =>
      mapIds(await openStamps(), (id, index) => (index < 90_000 ? id : String(id).replaceAll('-', '.'))),
  },
  {
    name: 'writes numbers in base 62 and does not say that case matters',
    fails: ONE_CASE,
    saying: /ids \S+ and \S+ differ in case only/,
    like: 'paddedTickets',
    claims: { text: BASE62 },
    open: async () => mapIds(await memoryTickets(), (id) => base62(Number(id))),
  },
  {
    name: 'draws letters of either case and says that case does not matter',
    fails: ONE_CASE,
    saying: /have a letter in both cases at character \d+/,
    like: 'local',
    claims: { text: { ...BASE62, sortable: false } },
    open: async () => mapIds(await openLocal(), () => base62From(randomBytes(20))),
  },
  {
    name: 'gives a number again in upper case after 95,000 ids',
    fails: ONE_CASE,
    saying: /differ in case only/,
    like: 'local',
    claims: { text: { pattern: /[n]\/\d+/i, maxLength: 20, sortable: false } },
    open: async () => {
      let first: Id = '';
      return mapIds(await openLocal(), (id, index) => {
        const named = String(id).replace(/^\d+/, 'n');
        if (index === 0) first = named;
        return index === 95_000 ? String(first).toUpperCase() : named;
      });
    },
  },
  {
    name: 'gives a number that JSON turns into null',
    fails: 'issues ids that survive JSON',
    saying: /NaN/,
    like: 'tickets',
    open: async () => mapIds(await memoryTickets(), (id, index) => (index === 1_500 ? Number.NaN : id)),
  },
];

function base62(value: number): string {
  let [text, rest] = ['', value];
  for (; rest > 0; rest = Math.floor(rest / 62)) text = DIGITS[rest % 62] + text;
  return text.padStart(11, '0');
}

function base62From(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => DIGITS[byte % 62]).join('');
}
