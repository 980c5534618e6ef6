import assert from 'node:assert/strict';
import type { Id, IdGenerator } from '@ids/core';
import { assertDistinct } from './assert-ids.js';
import { type ConformanceCase, never } from './conformance-case.js';
import { longDraw } from './long-draw.js';
import { takeCold } from './take.js';
import { withGenerator, withTwoGenerators } from './with-generator.js';

/** A ceiling up to here can be run into in a second or two. */
const REACHABLE_PER_SECOND = 1_000_000;

export const uniquenessCases: readonly ConformanceCase[] = [
  {
    name: 'gives no id twice, as fast as it can',
    skip: never,
    run: async (subject) => assertDistinct((await longDraw(subject)).ids, 'ids of one generator'),
  },
  {
    name: 'gives no id twice before, while and after it becomes ready',
    skip: never,
    run: (subject) =>
      withTwoGenerators(subject, async (first, second) => {
        // One after the other, and all at once: the second generator is asked before any call has returned.
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
    name: 'gives no id twice from two generators on one set-up',
    skip: never,
    run: (subject) =>
      withTwoGenerators(subject, async (first, second) => {
        const ids: Id[] = [];
        for (let turn = 0; turn < 200; turn++) {
          const calls = [
            first.next(),
            second.nextBatch(turn % 13),
            second.next(),
            first.nextBatch(turn % 11),
          ];
          ids.push(...(await Promise.all(calls)).flat());
        }
        assertDistinct(ids, 'ids of two generators');
      }),
  },
  {
    name: 'gives no id twice past its ceiling of ids per second',
    skip: ({ maxIdsPerSecond }) => {
      if (maxIdsPerSecond === undefined) return 'only the machine limits ids per second';
      if (maxIdsPerSecond <= REACHABLE_PER_SECOND) return undefined;
      return `${maxIdsPerSecond} ids per second are more than this case can draw`;
    },
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const { maxIdsPerSecond } = subject.guarantees;
        assert.ok(maxIdsPerSecond !== undefined);
        // More than the ceiling, without a rest: whether it waits, borrows from the next second or rejects,
        // no id may come twice, however fast or slow this machine is.
        const size = Math.ceil(maxIdsPerSecond / 10);
        const batches: Id[][] = [];
        while (batches.length < 11) batches.push(await generator.nextBatch(size));
        assertDistinct(batches.flat(), 'ids past the ceiling');
      }),
  },
];

/** Ids by each of the four calls. The synchronous ones may say that they are not ready. */
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
