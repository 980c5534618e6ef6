import assert from 'node:assert/strict';
import type { Guarantees, Id, IdGenerator } from '@ids/core';
import { type ConformanceSubject, openSubject } from '../subject.js';
import { assertContiguous, countSkipped, skippedOf } from './assert-ids.js';
import { type ConformanceCase, never, settledInTime, withGenerator } from './conformance-case.js';
import { longDraw, takeFromMemory, takeSingly } from './draw-ids.js';

export const gapCases: readonly ConformanceCase[] = [
  {
    name: 'skips no number while nothing fails',
    skip: never,
    run: async (subject) =>
      assertContiguous((await longDraw(subject)).ids, skippedOf(subject), 'ids of a single generator'),
  },
  {
    name: 'skips no number across a restart',
    skip: ({ gaps }) => (gaps === 'on-restart' ? 'a restart may leave a gap' : undefined),
    run: async (subject) => {
      const context = await subject.fresh();
      const ids: Id[] = [];
      for (let start = 0; start < 3; start++) {
        ids.push(...(await withGenerator(subject, (generator) => takeSingly(generator, 25), context)));
      }
      assertContiguous(ids, skippedOf(subject), 'ids of one generator after the other');
    },
  },
  {
    name: 'sets no more ids aside than it claims, whichever call issued the last one',
    skip: ({ maxIdsLost }) => (maxIdsLost === undefined ? 'it names no bound for ids set aside' : undefined),
    run: async (subject) => {
      const { maxIdsLost = 0 } = subject.guarantees;
      const skipped = skippedOf(subject);
      const context = await subject.fresh();
      for (const [name, take] of waysToTake) {
        // The first generator is not used again, as if it had been killed: the second one skips the ids it
        // set aside.
        const aside = await withGenerator(
          subject,
          async (first) => {
            const last = (await take(first)).at(-1) ?? (await first.next());
            return withGenerator(subject, async (second) => skipped(last, await second.next()), context);
          },
          context,
        );
        assert.ok(
          // Fewer than none: ids were issued that nobody had reserved.
          aside >= 0n && aside <= BigInt(maxIdsLost),
          `${aside} ids were set aside after ${name}, admitted: 0 to ${maxIdsLost}`,
        );
      }
    },
  },
];

type Take = (generator: IdGenerator) => Promise<readonly Id[]>;

const waysToTake: readonly (readonly [name: string, take: Take])[] = [
  ['a batch of 10', (generator) => generator.nextBatch(10)],
  ['a batch of 1000', (generator) => generator.nextBatch(1_000)],
  ['a batch of 30000', (generator) => generator.nextBatch(30_000)],
  ['1 id by next', (generator) => takeSingly(generator, 1)],
  ['1700 ids by next', (generator) => takeSingly(generator, 1_700)],
  [
    '200 ids by next at once',
    (generator) => Promise.all(Array.from({ length: 200 }, () => generator.next())),
  ],
  [
    '20000 ids by next, 500 at once',
    async (generator) => {
      let last: Id[] = [];
      for (let flight = 0; flight < 40; flight++) {
        last = await Promise.all(Array.from({ length: 500 }, () => generator.next()));
      }
      return last;
    },
  ],
  [
    '30 ids by nextSync',
    async (generator) =>
      (await takeFromMemory(generator, (sync) => Array.from({ length: 30 }, () => sync.nextSync()))) ?? [],
  ],
  [
    '30 ids by nextBatchSync',
    async (generator) => (await takeFromMemory(generator, (sync) => sync.nextBatchSync(30))) ?? [],
  ],
];

const CLOSES = 4;

export const closeGapCases: readonly ConformanceCase[] = [
  {
    name: 'loses no more ids than it claims when it is closed with calls pending',
    skip: ({ gaps, maxIdsLost }) =>
      gaps === 'on-restart' && maxIdsLost === undefined
        ? 'a restart may leave a gap, and it names no bound for ids set aside'
        : undefined,
    run: async (subject) => {
      const context = await subject.fresh();
      const probe = (): Promise<Id> => withGenerator(subject, (generator) => generator.next(), context);
      let before = await probe();
      for (let round = 1; round <= CLOSES; round++) {
        const { ids, refused } = await closeWithCallsPending(subject, context);
        const after = await probe();
        const where = `around close() with calls pending (round ${round})`;
        const lost = countSkipped([before, ...ids, after], skippedOf(subject), where);
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

/** The ids that the calls received, and how many the rejected calls had requested. */
async function closeWithCallsPending(
  subject: ConformanceSubject,
  context: unknown,
): Promise<{ ids: readonly Id[]; refused: number }> {
  const generator = await openSubject(subject.module, context);
  const calls = Array.from({ length: 40 }, (_, call) => request(generator, call % 4 === 0 ? 4 : 1));
  const results = await settledInTime([
    ...calls.map(({ ids }) => ids),
    generator.close().then((): Id[] => []),
  ]);
  const ids: Id[] = [];
  let refused = 0;
  for (const [call, result] of results.entries()) {
    if (result?.status === 'fulfilled') ids.push(...result.value);
    else refused += calls[call]?.count ?? 0;
  }
  return { ids, refused };
}

function request(generator: IdGenerator, count: number): { count: number; ids: Promise<Id[]> } {
  return { count, ids: count === 1 ? generator.next().then((id) => [id]) : generator.nextBatch(count) };
}

/**
 * A rejected call may lose the ids it requested, unless a gap never occurs. Between the two compared ids the
 * generator closes twice, once with pending calls. Each time, the ids it has set aside may be lost, if a
 * restart may lose them.
 */
function admittedLoss({ gaps, maxIdsLost = 0 }: Guarantees, refused: number): bigint {
  if (gaps === 'never') return 0n;
  if (gaps === 'on-fault') return BigInt(refused);
  return maxIdsLost === 0 ? 0n : BigInt(2 * maxIdsLost + refused);
}
