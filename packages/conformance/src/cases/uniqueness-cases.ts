import assert from 'node:assert/strict';
import type { Id } from '@ids/core';
import { assertDistinct } from './assert-ids.js';
import { type ConformanceCase, never } from './conformance-case.js';
import { takeBatches, takeSingly } from './take.js';
import { withGenerator, withTwoGenerators } from './with-generator.js';

/** A ceiling up to here can be run into in a second or two. */
const REACHABLE_PER_SECOND = 1_000_000;

export const uniquenessCases: readonly ConformanceCase[] = [
  {
    name: 'gives no id twice, as fast as it can',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const singles = await takeSingly(generator, 5_000);
        const concurrent = await Promise.all(Array.from({ length: 1_000 }, () => generator.next()));
        const batches = await takeBatches(generator, 100_000, 10_000);
        assertDistinct([...singles, ...concurrent, ...batches], 'ids of one generator');
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
        // More than the ceiling, without a rest: whether it waits, borrows from the next second or rejects, no id
        // may come twice, however fast or slow this machine is.
        const size = Math.ceil(maxIdsPerSecond / 10);
        assertDistinct(await takeBatches(generator, 11 * size, size), 'ids past the ceiling');
      }),
  },
];
