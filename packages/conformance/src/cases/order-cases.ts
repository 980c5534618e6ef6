import type { Guarantees, Id } from '@ids/core';
import { naturalOrder } from '@ids/core/order';
import { assertRising, orderOf } from './assert-ids.js';
import { type ConformanceCase, never, withGenerator, withTwoGenerators } from './conformance-case.js';
import { longDraw, takeFromMemory } from './draw-ids.js';

/** How many ids of the long draw are compared: a subject may have to parse both ids of each pair. */
const COMPARED = 60_000;

/** Of concurrent batches. A large one may be served in parts, between which no other call may get ids. */
const BATCH_SIZES: readonly number[] = [25, 1, 700, 40, 25, 3, 1_500, 25, 7];

export const orderCases: readonly ConformanceCase[] = [
  {
    name: 'issues increasing ids',
    skip: unordered,
    run: async (subject) => {
      const ids = (await longDraw(subject)).ids.slice(0, COMPARED);
      assertRising(ids, orderOf(subject), 'ids of one generator');
    },
  },
  {
    name: 'returns the ids of mixed calls in the order of the calls',
    skip: unordered,
    run: (subject) =>
      withTwoGenerators(subject, async (generator, other) => {
        const [ids, others]: [Id[], Id[]] = [[], []];
        for (let round = 0; round < 200; round++) {
          // What two generators share may break the order of each.
          if (round >= 100) others.push(...(await other.nextBatch(round % 3)));
          ids.push(await generator.next(), ...(await generator.nextBatch(round % 7)));
          ids.push(...((await takeFromMemory(generator, (sync) => [sync.nextSync()])) ?? []));
          ids.push(...((await takeFromMemory(generator, (sync) => sync.nextBatchSync(round % 5))) ?? []));
        }
        assertRising(ids, orderOf(subject), 'next, nextBatch, nextSync and nextBatchSync by turns');
        assertRising(others, orderOf(subject), 'batches of a second generator');
      }),
  },
  {
    name: 'serves concurrent calls first come, first served',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const [singles, batches]: [number[], number[]] = [[], []];
        const calls = Array.from({ length: 400 }, (_, call) =>
          call % 4 === 3
            ? generator
                .nextBatch(BATCH_SIZES[call % BATCH_SIZES.length] ?? 0)
                .finally(() => batches.push(call))
            : generator
                .next()
                .then((id) => [id])
                .finally(() => singles.push(call)),
        );
        const ids = (await Promise.all(calls)).flat();
        for (const settled of [singles, batches]) {
          assertRising(
            settled,
            naturalOrder,
            'calls numbered as they were made, in the order in which they settled',
          );
        }
        if (subject.guarantees.order.process === 'none') return;
        assertRising(ids, orderOf(subject), 'ids of concurrent calls, in the order of the calls');
      }),
  },
  {
    name: 'issues ids whose strings sort in the order of issue',
    skip: (guarantees) => {
      if (!guarantees.text.sortable) return 'strings are not said to sort';
      return unordered(guarantees);
    },
    run: async (subject) => {
      const { ids } = await longDraw(subject);
      assertRising(ids.map(String), naturalOrder, 'strings of one generator');
      if (subject.guarantees.order.cluster !== 'real-time') return;
      await withTwoGenerators(subject, async (first, second) => {
        const ids: Id[] = [];
        for (let turn = 0; turn < 200; turn++) {
          // Not strictly alternating, to distinguish one shared order from two counters that happen to run in
          // step.
          ids.push(await first.next(), await second.next(), await second.next());
        }
        assertRising(ids.map(String), naturalOrder, 'strings of two generators');
      });
    },
  },
];

function unordered({ order }: Guarantees): string | undefined {
  return order.process === 'none' ? 'ids of one generator are not said to rise' : undefined;
}
