import assert from 'node:assert/strict';
import { type Id, isSyncGenerator, MAX_BATCH } from '@ids/core';
import { assertContiguous, assertRising, orderOf, skippedOf } from './assert-ids.js';
import { type ConformanceCase, never, withGenerator } from './conformance-case.js';
import { longDraw, SYNC_BATCH_COUNTS, takeFromMemory } from './draw-ids.js';

/** Larger than any segment that a strategy is tested with. */
const LARGE_BATCH = 100_000;

const REFUSED_COUNTS: readonly unknown[] = [
  -1,
  1.5,
  MAX_BATCH + 1,
  1e9,
  Number.NaN,
  Infinity,
  '5',
  null,
  undefined,
];

export const batchCases: readonly ConformanceCase[] = [
  {
    name: 'returns exactly as many ids as were asked for, also across segments',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        for (const count of [0, 1, 1_000, LARGE_BATCH, 2]) {
          assertBatch(await generator.nextBatch(count), count, 'nextBatch');
        }
        for (const count of SYNC_BATCH_COUNTS) {
          const batch = await takeFromMemory(generator, (sync) => sync.nextBatchSync(count));
          if (batch !== undefined) assertBatch(batch, count, 'nextBatchSync');
        }
        for (const { count, batch } of (await longDraw(subject)).batches) {
          assertBatch(batch, count, 'nextBatch');
        }
      }),
  },
  {
    name: 'rejects counts that are not a whole number in range, and issues nothing for them',
    skip: never,
    run: (subject) =>
      withGenerator(subject, async (generator) => {
        const { order } = subject.guarantees;
        await generator.ready();
        for (const refused of REFUSED_COUNTS) {
          const count = refused as number;
          const before = await generator.next();
          await assert.rejects(async () => generator.nextBatch(count), isRangeError(`nextBatch(${count})`));
          if (isSyncGenerator(generator)) {
            assert.throws(() => generator.nextBatchSync(count), isRangeError(`nextBatchSync(${count})`));
          }
          const after = await generator.next();
          const where = `around nextBatch(${count})`;
          assertContiguous([before, after], skippedOf(subject), where);
          if (order.process === 'increasing') assertRising([before, after], orderOf(subject), where);
        }
      }),
  },
];

function assertBatch(batch: readonly Id[], count: number, call: string): void {
  assert.ok(Array.isArray(batch), `${call}(${count}) gave no array`);
  assert.equal(batch.length, count, `${call}(${count}) gave ${batch.length} ids`);
}

function isRangeError(call: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof RangeError, `${call} must fail with a RangeError, got: ${error}`);
    return true;
  };
}
