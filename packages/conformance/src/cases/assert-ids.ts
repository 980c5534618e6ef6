import assert from 'node:assert/strict';
import type { Id } from '@ids/core';
import { type CompareIds, naturalOrder } from '@ids/core/order';
import type { ConformanceSubject } from '../subject.js';

/** The order that the subject claims for its ids. Fails if the claim cannot be checked. */
export function orderOf({ guarantees, compare }: ConformanceSubject): CompareIds {
  if (compare !== undefined) return compare;
  const comparable = guarantees.idType !== 'string' || guarantees.text.sortable;
  assert.ok(
    comparable,
    'an order is claimed for strings that do not sort: the subject must define it in compare()',
  );
  return naturalOrder;
}

export function assertRising(ids: readonly Id[], compare: CompareIds, where: string): void {
  for (let i = 1; i < ids.length; i++) {
    const [before, id] = [ids[i - 1] ?? 0, ids[i] ?? 0];
    if (compare(before, id) < 0) continue;
    assert.fail(`${where}: id ${id} (number ${i + 1}) is not above ${before}, the one before it`);
  }
}

/** Sorts only if a `Set` has found a repeated id, to name both positions in the message. */
export function assertDistinct(ids: readonly Id[], where: string): void {
  if (new Set(ids).size === ids.length) return;
  const sorted = ids.map((id, index) => ({ id, index }));
  sorted.sort((a, b) => naturalOrder(a.id, b.id));
  for (let i = 1; i < sorted.length; i++) {
    const [first, second] = [sorted[i - 1], sorted[i]];
    if (first === undefined || second === undefined || first.id !== second.id) continue;
    assert.fail(`${where}: id ${first.id} given twice, as number ${first.index + 1} and ${second.index + 1}`);
  }
}

export type Skipped = (before: Id, id: Id) => bigint;

/** Decimal digits without a sign; leading zeros do not change the number. */
const DIGITS = /^\d+$/;

/** Counts the ids between two others. Fails for strings whose numbers it cannot read. */
export function skippedOf({ skipped }: ConformanceSubject): Skipped {
  return (before, id) => {
    if (skipped !== undefined) return skipped(before, id);
    for (const one of [before, id]) {
      const counted = typeof one !== 'string' || DIGITS.test(one);
      assert.ok(counted, `gaps between ids such as ${one}: the subject must count them, in skipped()`);
    }
    return BigInt(id) - BigInt(before) - 1n;
  };
}

/**
 * How many numbers lie between `ids`, which were issued in this order. Fails for an id that is not after the
 * one before it: a repeated number must not make up for a lost one.
 */
export function countSkipped(ids: readonly Id[], skipped: Skipped, where: string): bigint {
  let sum = 0n;
  for (let i = 1; i < ids.length; i++) {
    const [before, id] = [ids[i - 1] ?? 0, ids[i] ?? 0];
    const between = skipped(before, id);
    assert.ok(between >= 0n, `${where}: id ${id} is not after ${before}, an id that was issued before`);
    sum += between;
  }
  return sum;
}

/**
 * String ids may be slow to parse. So only every 50th is compared, and all ids of a stretch where one is
 * missing or one is extra. That overlooks an id that replaces another one in its stretch, but such ids do not
 * increase.
 */
export function assertContiguous(ids: readonly Id[], skipped: Skipped, where: string): void {
  const step = typeof ids[0] === 'string' ? 50 : 1;
  for (let start = 0; start + 1 < ids.length; start += step) {
    const end = Math.min(start + step, ids.length - 1);
    if (skipped(ids[start] ?? 0, ids[end] ?? 0) === BigInt(end - start - 1)) continue;
    for (let i = start + 1; i <= end; i++) {
      const [before, id] = [ids[i - 1] ?? 0, ids[i] ?? 0];
      if (skipped(before, id) === 0n) continue;
      assert.fail(`${where}: id ${id} (number ${i + 1}) does not follow ${before}, the one before it`);
    }
  }
}
