import { mapIds } from '../references/alter.js';
import { open as openStamps } from '../references/stamps.js';
import { open as openTickets } from '../references/tickets.js';
import type { Mutant } from './mutant.js';

const TYPE_AND_TEXT = 'gives ids of the type and text it claims, the 10,000th as well as the first';

export const idMutants: readonly Mutant[] = [
  {
    name: 'gives one text among 10,000 numbers',
    fails: TYPE_AND_TEXT,
    saying: /10000, "10000", is not of the claimed type/,
    like: 'tickets',
    open: async (context) =>
      mapIds(await openTickets(context), (id, index) => (index === 9_999 ? String(id) : id)),
  },
  {
    name: 'gives numbers that are not exact',
    fails: TYPE_AND_TEXT,
    saying: /no exact whole number/,
    like: 'tickets',
    open: async (context) => mapIds(await openTickets(context), (id) => Number(id) + 2 ** 53),
  },
  {
    name: 'ends a text with a line feed',
    fails: TYPE_AND_TEXT,
    saying: /does not match/,
    like: 'stamps',
    open: async () => mapIds(await openStamps(), (id, index) => (index === 9_999 ? `${id}\n` : id)),
  },
  {
    name: 'begins a text with a prefix that its pattern lacks',
    fails: TYPE_AND_TEXT,
    saying: /does not match/,
    like: 'stamps',
    open: async () => mapIds(await openStamps(), (id) => `order-${id}`),
  },
  {
    name: 'gives texts longer than it says',
    fails: TYPE_AND_TEXT,
    saying: /is longer than 3/,
    like: 'tickets',
    claims: { text: { pattern: /\d+/, maxLength: 3, sortable: false } },
    open: openTickets,
  },
  {
    name: 'gives a number that JSON turns into null',
    fails: 'gives ids that survive JSON',
    saying: /NaN/,
    like: 'tickets',
    open: async (context) =>
      mapIds(await openTickets(context), (id, index) => (index === 1_500 ? Number.NaN : id)),
  },
];
