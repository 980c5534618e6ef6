import assert from 'node:assert/strict';
import type { Guarantees, Id } from '@ids/core';
import { assertOneCase } from './assert-one-case.js';
import { type ConformanceCase, never } from './conformance-case.js';
import { longDraw } from './long-draw.js';

export const idCases: readonly ConformanceCase[] = [
  {
    name: 'gives ids of the type and text it claims, the 100,000th as well as the first',
    skip: never,
    run: async (subject) => {
      const { idType, text } = subject.guarantees;
      const whole = new RegExp(`^(?:${text.pattern.source})$`, text.pattern.flags.replace(/[gmy]/g, ''));
      const { ids } = await longDraw(subject);
      for (const [index, id] of ids.entries()) {
        const which = () => `id number ${index + 1}, ${format(id)},`;
        if (typeof id !== idType) assert.fail(`${which()} is not of the claimed type`);
        if (typeof id === 'number' && !Number.isSafeInteger(id)) {
          assert.fail(`${which()} is no exact whole number`);
        }
        if (!whole.test(String(id))) assert.fail(`${which()} does not match ${text.pattern}, whole`);
        const fault = faultOf(String(id), text);
        if (fault !== undefined) assert.fail(`${which()} ${fault}`);
      }
    },
  },
  {
    name: 'gives no two ids that differ in case only, unless it says so',
    skip: ({ idType, text }) => {
      if (idType !== 'string') return 'ids are numbers, which have no case';
      return text.caseSensitive ? 'case is said to distinguish ids' : undefined;
    },
    run: async (subject) => assertOneCase((await longDraw(subject)).ids.map(String)),
  },
  {
    name: 'gives ids that survive JSON',
    skip: ({ idType }) => (idType === 'bigint' ? 'ids are bigint, which JSON does not know' : undefined),
    run: async (subject) => {
      const ids = (await longDraw(subject)).ids.slice(0, 2_000);
      assert.deepEqual(JSON.parse(JSON.stringify(ids)), ids);
    },
  },
];

function faultOf(
  id: string,
  { prefix = '', alphabet, minLength = 0, maxLength }: Guarantees['text'],
): string | undefined {
  if (id.length > maxLength) return `is longer than ${maxLength}`;
  if (id.length < minLength) return `is shorter than ${minLength}`;
  if (!id.startsWith(prefix)) return `does not begin with ${JSON.stringify(prefix)}`;
  const foreign = alphabet && [...id.slice(prefix.length)].find((character) => !alphabet.includes(character));
  return foreign && `has ${JSON.stringify(foreign)}, which is not in its alphabet`;
}

function format(id: Id): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id);
}
