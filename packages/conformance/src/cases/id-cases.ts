import assert from 'node:assert/strict';
import type { Id } from '@ids/core';
import { type ConformanceCase, never } from './conformance-case.js';
import { takeBatches, takeSingly } from './take.js';
import { withGenerator } from './with-generator.js';

export const idCases: readonly ConformanceCase[] = [
  {
    name: 'gives ids of the type and text it claims, the 10,000th as well as the first',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const { idType, text } = subject.guarantees;
        const whole = new RegExp(`^(?:${text.pattern.source})$`, text.pattern.flags.replace(/[gmy]/g, ''));
        const ids = [...(await takeSingly(generator, 500)), ...(await takeBatches(generator, 9_500, 500))];
        for (const [index, id] of ids.entries()) {
          const which = `id number ${index + 1}, ${format(id)},`;
          assert.equal(typeof id, idType, `${which} is not of the claimed type`);
          assert.ok(typeof id !== 'number' || Number.isSafeInteger(id), `${which} is no exact whole number`);
          assert.match(String(id), whole, `${which} does not match ${text.pattern}, whole`);
          assert.ok(String(id).length <= text.maxLength, `${which} is longer than ${text.maxLength}`);
        }
      }),
  },
  {
    name: 'gives ids that survive JSON',
    skip: ({ idType }) => (idType === 'bigint' ? 'ids are bigint, which JSON does not know' : undefined),
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const ids = [await generator.next(), ...(await generator.nextBatch(2_000))];
        assert.deepEqual(JSON.parse(JSON.stringify(ids)), ids);
      }),
  },
];

function format(id: Id): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id);
}
