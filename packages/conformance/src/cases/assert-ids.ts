import assert from 'node:assert/strict';
import type { Id } from '@ids/core';
import { type CompareIds, compareIds } from '../checker/compare-ids.js';
import type { ConformanceSubject } from '../subject.js';

/** The order in which the subject's ids claim to rise. Fails when it claims one that nobody could check. */
export function orderOf({ guarantees, compare }: ConformanceSubject): CompareIds {
  if (compare !== undefined) return compare;
  const comparable = guarantees.idType !== 'string' || guarantees.text.sortable;
  assert.ok(
    comparable,
    'an order is claimed for texts that do not sort: the subject must say which, in compare()',
  );
  return compareIds;
}

export function assertRising(ids: readonly Id[], compare: CompareIds, where: string): void {
  for (let i = 1; i < ids.length; i++) {
    const [before, id] = [ids[i - 1] ?? 0, ids[i] ?? 0];
    if (compare(before, id) < 0) continue;
    assert.fail(`${where}: id ${id} (number ${i + 1}) does not lie above ${before}, the one before it`);
  }
}

/** Sorts only what a `Set` has shown to repeat, so that both places stand in the message. */
export function assertDistinct(ids: readonly Id[], where: string): void {
  if (new Set(ids).size === ids.length) return;
  const sorted = ids.map((id, index) => ({ id, index }));
  sorted.sort((a, b) => compareIds(a.id, b.id));
  for (let i = 1; i < sorted.length; i++) {
    const [first, second] = [sorted[i - 1], sorted[i]];
    if (first === undefined || second === undefined || first.id !== second.id) continue;
    assert.fail(`${where}: id ${first.id} given twice, as number ${first.index + 1} and ${second.index + 1}`);
  }
}

export type Skipped = (before: Id, id: Id) => bigint;

/** Decimal digits without a sign; leading zeros do not change the number. */
const DIGITS = /^\d+$/;

/** How many ids lie between two. Fails when gaps are claimed of strings in which nobody could see them. */
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
 * Ids of strings may be slow to read, so of those every 50th is compared, and all of a stretch where
 * one is missing or too many. What that overlooks are ids that stand in for others in their own
 * stretch: those do not rise.
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
