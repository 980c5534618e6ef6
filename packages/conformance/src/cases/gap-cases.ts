import assert from 'node:assert/strict';
import type { Id, IdGenerator } from '@ids/core';
import { assertContiguous, skippedOf } from './assert-ids.js';
import { type ConformanceCase, never } from './conformance-case.js';
import { longDraw } from './long-draw.js';
import { takeFromMemory, takeSingly } from './take.js';
import { withGenerator } from './with-generator.js';

export const gapCases: readonly ConformanceCase[] = [
  {
    name: 'leaves no number out while nothing fails',
    skip: never,
    run: async (subject) =>
      assertContiguous((await longDraw(subject)).ids, skippedOf(subject), 'ids of a lone generator'),
  },
  {
    name: 'leaves no number out across a restart',
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
    name: 'sets no more ids aside than it admits, whichever call gave the last one',
    skip: ({ maxIdsLost }) => (maxIdsLost === undefined ? 'it names no bound for ids set aside' : undefined),
    run: async (subject) => {
      const { maxIdsLost = 0 } = subject.guarantees;
      const skipped = skippedOf(subject);
      const context = await subject.fresh();
      for (const [name, take] of waysToTake) {
        // The first is not used any more, as if it had been killed: what it set aside is
        // what the second leaps over.
        const aside = await withGenerator(
          subject,
          async (first) => {
            const last = (await take(first)).at(-1) ?? (await first.next());
            return withGenerator(subject, async (second) => skipped(last, await second.next()), context);
          },
          context,
        );
        assert.ok(
          aside <= BigInt(maxIdsLost),
          `${aside} ids were set aside after ${name}, admitted: ${maxIdsLost}`,
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
    '30 ids by nextSync',
    async (generator) =>
      (await takeFromMemory(generator, (sync) => Array.from({ length: 30 }, () => sync.nextSync()))) ?? [],
  ],
  [
    '30 ids by nextBatchSync',
    async (generator) => (await takeFromMemory(generator, (sync) => sync.nextBatchSync(30))) ?? [],
  ],
];
