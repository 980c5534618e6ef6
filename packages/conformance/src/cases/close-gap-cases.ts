import assert from 'node:assert/strict';
import type { Guarantees, Id, IdGenerator } from '@ids/core';
import { type ConformanceSubject, openSubject } from '../subject.js';
import { skippedOf } from './assert-ids.js';
import type { ConformanceCase } from './conformance-case.js';
import { settleWithin } from './take.js';
import { withGenerator } from './with-generator.js';

const ROUNDS = 4;

export const closeGapCases: readonly ConformanceCase[] = [
  {
    name: 'loses no more ids than it admits when it is closed with calls pending',
    skip: ({ gaps, maxIdsLost }) =>
      gaps === 'on-restart' && maxIdsLost === undefined
        ? 'a restart may leave a gap, and it names no bound for ids set aside'
        : undefined,
    run: async (subject) => {
      const context = await subject.fresh();
      const probe = (): Promise<Id> => withGenerator(subject, (generator) => generator.next(), context);
      let before = await probe();
      for (let round = 1; round <= ROUNDS; round++) {
        const { given, refused } = await closeWithCallsPending(subject, context);
        const after = await probe();
        const lost = skippedOf(subject)(before, after) - BigInt(given);
        const admitted = admittedLoss(subject.guarantees, refused);
        assert.ok(
          lost <= admitted,
          `${lost} ids were lost at close() with calls pending (round ${round}), admitted: ${admitted}`,
        );
        before = after;
      }
    },
  },
];

/** How many ids the calls got, and how many the calls that were rejected had asked for. */
async function closeWithCallsPending(
  subject: ConformanceSubject,
  context: unknown,
): Promise<{ given: number; refused: number }> {
  const generator = await openSubject(subject.module, context);
  const calls = Array.from({ length: 40 }, (_, call) => request(generator, call % 4 === 0 ? 4 : 1));
  const results = await settleWithin([
    ...calls.map(({ ids }) => ids),
    generator.close().then((): Id[] => []),
  ]);
  let [given, refused] = [0, 0];
  for (const [call, result] of results.entries()) {
    if (result?.status === 'fulfilled') given += result.value.length;
    else refused += calls[call]?.count ?? 0;
  }
  return { given, refused };
}

function request(generator: IdGenerator, count: number): { count: number; ids: Promise<Id[]> } {
  return { count, ids: count === 1 ? generator.next().then((id) => [id]) : generator.nextBatch(count) };
}

/**
 * A call that was rejected may lose what it had asked for, unless nothing is ever set aside. Between the
 * two ids that are compared lie a close with calls pending and one without: either may lose what was set
 * aside then, if a restart may.
 */
function admittedLoss({ gaps, maxIdsLost = 0 }: Guarantees, refused: number): bigint {
  if (gaps === 'never') return 0n;
  if (gaps === 'on-fault') return BigInt(refused);
  return maxIdsLost === 0 ? 0n : BigInt(2 * maxIdsLost + refused);
}
