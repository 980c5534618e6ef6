import assert from 'node:assert/strict';
import type { Id, IdGenerator } from '@ids/core';
import { assertContiguous, assertDistinct, orderOf, skippedOf } from './assert-ids.js';
import {
  type ConformanceCase,
  never,
  withGenerator,
  withGenerators,
  withTwoGenerators,
} from './conformance-case.js';
import { longDraw, takeCold } from './draw-ids.js';

/** The highest rate that a case can exceed within a second or two. */
const REACHABLE_PER_SECOND = 1_000_000;

/** How many generators are opened at once. */
const SEVERAL = 5;

/** How often a generator is opened and closed, one after the other. */
const STARTS = 3;

export const uniquenessCases: readonly ConformanceCase[] = [
  {
    name: 'issues no id twice, as fast as it can',
    skip: never,
    run: async (subject) => assertDistinct((await longDraw(subject)).ids, 'ids of one generator'),
  },
  {
    name: 'issues no id twice before, while and after it becomes ready',
    skip: never,
    run: (subject) =>
      withTwoGenerators(subject, async (first, second) => {
        // First sequential, then all at once: the second generator is called before any call has returned.
        const ids = await takeByAllCalls(first);
        const before = takeByAllCalls(second);
        const readied = [first.ready(), second.ready()];
        const meanwhile = [first, second].map(takeByAllCalls);
        await Promise.all(readied);
        const after = [first, second].map(takeByAllCalls);
        ids.push(...(await Promise.all([before, ...meanwhile, ...after])).flat());
        assertDistinct(ids, 'ids of two generators that become ready');
      }),
  },
  {
    name: 'issues no id twice from several generators on one set-up',
    skip: never,
    run: (subject) =>
      withGenerators(subject, SEVERAL, async (generators) => {
        const ids: Id[] = [];
        for (let turn = 0; turn < 200; turn++) {
          const calls = generators.flatMap((generator, index) => [
            generator.next(),
            generator.nextBatch((turn + index) % 13),
          ]);
          ids.push(...(await Promise.all(calls)).flat());
        }
        assertDistinct(ids, 'ids of several generators');
        if (subject.guarantees.gaps !== 'never') return;
        assertContiguous(ids.toSorted(orderOf(subject)), skippedOf(subject), 'ids of several generators');
      }),
  },
  {
    name: 'issues no id twice from one start to the next',
    skip: never,
    run: async (subject) => {
      const context = await subject.fresh();
      const ids: Id[] = [];
      for (let start = 0; start < STARTS; start++) {
        await withGenerator(
          subject,
          async (generator) => {
            ids.push(...(await takeByAllCalls(generator)));
          },
          context,
        );
      }
      assertDistinct(ids, `ids of ${STARTS} starts`);
    },
  },
  {
    name: 'issues no id twice above its limit of ids per second',
    skip: ({ maxIdsPerSecond }) => {
      if (maxIdsPerSecond === undefined) return 'only the machine limits ids per second';
      if (maxIdsPerSecond <= REACHABLE_PER_SECOND) return undefined;
      return `${maxIdsPerSecond} ids per second are more than this case can draw`;
    },
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const { maxIdsPerSecond } = subject.guarantees;
        assert.ok(maxIdsPerSecond !== undefined);
        // More than the limit, without a pause: whether the generator waits, borrows from the next second or
        // rejects, no id may appear twice, however fast this machine is.
        const size = Math.ceil(maxIdsPerSecond / 10);
        const batches: Id[][] = [];
        while (batches.length < 11) batches.push(await generator.nextBatch(size));
        assertDistinct(batches.flat(), 'ids past the ceiling');
      }),
  },
];

/** Ids from each of the four methods. The synchronous ones may fail because they are not ready. */
async function takeByAllCalls(generator: IdGenerator): Promise<Id[]> {
  const fromMemory: Id[] = [];
  for (let call = 0; call < 20; call++) {
    fromMemory.push(...(takeCold(generator, (sync) => [sync.nextSync()]) ?? []));
    fromMemory.push(...(takeCold(generator, (sync) => sync.nextBatchSync(3)) ?? []));
  }
  const singles = Array.from({ length: 20 }, () => generator.next());
  const batches = Array.from({ length: 5 }, () => generator.nextBatch(7));
  return [...fromMemory, ...(await Promise.all(singles)), ...(await Promise.all(batches)).flat()];
}
