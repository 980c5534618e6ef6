import assert from 'node:assert/strict';
import { type Id, type IdGenerator, isSyncGenerator, MAX_BATCH } from '@ids/core';
import type { ConformanceSubject } from '../subject.js';
import { noteUntested } from '../untested.js';
import { assertContiguous, assertDistinct, assertRising, orderOf, skippedOf } from './assert-ids.js';
import { type ConformanceCase, never, withGenerator } from './conformance-case.js';
import { longDraw, SYNC_BATCH_COUNTS, takeFromMemory } from './draw-ids.js';

/** Larger than any segment that a strategy is tested with; a backend reserves as many within any deadline. */
const LARGE_BATCH = 100_000;

/** A generator that takes longer for a large batch is not asked for the largest one. */
const SLOW_MS = 2_000;

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
        for (const count of [0, 1, 1_000]) await takeBatch(generator, count);
        await takeLargest(subject, generator);
        await takeBatch(generator, 2);
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

/** Where it takes no longer than a test may, and no backend has to answer before a deadline. */
async function takeLargest(subject: ConformanceSubject, generator: IdGenerator): Promise<void> {
  const startedAt = performance.now();
  await takeBatch(generator, LARGE_BATCH);
  const isSlow = performance.now() - startedAt > SLOW_MS;
  if (subject.guarantees.backends.length === 0 && !isSlow) {
    await takeBatch(generator, MAX_BATCH);
    const batch = await takeFromMemory(generator, (sync) => sync.nextBatchSync(MAX_BATCH));
    if (batch !== undefined) assertBatch(batch, MAX_BATCH, 'nextBatchSync');
    return;
  }
  const why = isSlow ? `${LARGE_BATCH} take seconds` : 'a backend may take longer than a call waits';
  noteUntested(subject, `batches of more than ${LARGE_BATCH} ids`, why);
}

async function takeBatch(generator: IdGenerator, count: number): Promise<void> {
  const batch = await generator.nextBatch(count);
  assertBatch(batch, count, 'nextBatch');
  assertDistinct(batch, `ids of nextBatch(${count})`);
}

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
