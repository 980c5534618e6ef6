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

/** Sorts instead of collecting a `Set`, so that the two issuers stand in the message. */
export function assertDistinct(ids: readonly Id[], where: string): void {
  const sorted = ids.map((id, index) => ({ id, index }));
  sorted.sort((a, b) => compareIds(a.id, b.id));
  for (let i = 1; i < sorted.length; i++) {
    const [first, second] = [sorted[i - 1], sorted[i]];
    if (first === undefined || second === undefined || first.id !== second.id) continue;
    assert.fail(`${where}: id ${first.id} given twice, as number ${first.index + 1} and ${second.index + 1}`);
  }
}

export function assertContiguous(ids: readonly Id[], where: string): void {
  for (let i = 1; i < ids.length; i++) {
    const [before, id] = [ids[i - 1] ?? 0, ids[i] ?? 0];
    if (BigInt(id) === BigInt(before) + 1n) continue;
    assert.fail(`${where}: id ${id} (number ${i + 1}) does not follow ${before}, the one before it`);
  }
}
