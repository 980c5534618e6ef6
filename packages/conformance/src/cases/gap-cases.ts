import assert from 'node:assert/strict';
import type { Guarantees, Id } from '@ids/core';
import { assertContiguous } from './assert-ids.js';
import type { ConformanceCase } from './conformance-case.js';
import { takeBatches, takeSingly } from './take.js';
import { withGenerator } from './with-generator.js';

export const gapCases: readonly ConformanceCase[] = [
  {
    name: 'leaves no number out while nothing fails',
    skip: notNumbers,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const batches = await takeBatches(generator, 20_000, 999);
        assertContiguous([...batches, ...(await takeSingly(generator, 2_000))], 'ids of a lone generator');
      }),
  },
  {
    name: 'leaves no number out across a restart',
    skip: (guarantees) =>
      guarantees.gaps === 'on-restart' ? 'a restart may leave a gap' : notNumbers(guarantees),
    run: async (subject) => {
      const context = await subject.fresh();
      const ids: Id[] = [];
      for (let start = 0; start < 3; start++) {
        ids.push(...(await withGenerator(subject, (generator) => takeSingly(generator, 25), context)));
      }
      assertContiguous(ids, 'ids of one generator after the other');
    },
  },
  {
    name: 'sets no more ids aside than it admits',
    skip: (guarantees) =>
      guarantees.maxIdsLost === undefined ? 'it names no bound for ids set aside' : notNumbers(guarantees),
    run: async (subject) => {
      const { maxIdsLost } = subject.guarantees;
      assert.ok(maxIdsLost !== undefined);
      const context = await subject.fresh();
      for (const taken of [10, 1_000, 30_000]) {
        // The first is not used any more, as if it had been killed: what it set aside is what the second leaps over.
        const leap = await withGenerator(
          subject,
          async (first) => {
            const last = BigInt((await first.nextBatch(taken)).at(-1) ?? 0);
            return withGenerator(subject, async (second) => BigInt(await second.next()) - last - 1n, context);
          },
          context,
        );
        assert.ok(
          leap <= BigInt(maxIdsLost),
          `${leap} ids were set aside after ${taken} ids, admitted: ${maxIdsLost}`,
        );
      }
    },
  },
];

function notNumbers({ idType }: Guarantees): string | undefined {
  return idType === 'string' ? 'ids are text, which has no gaps' : undefined;
}
