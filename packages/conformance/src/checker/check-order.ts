import type { Id } from '@ids/core';
import type { HistoryRecord } from '../history.js';
import { type Clock, describeCall, type Findings, type HistoryLevel } from './findings.js';

export type CompareIds = (a: Id, b: Id) => number;

/** Numbers by value, strings by code unit: as the operator `<` orders them, the same in every locale. */
export function naturalOrder(a: Id, b: Id): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface OrderCheck {
  readonly compare: CompareIds;
  readonly findings: Findings;
  readonly clock: Clock;
}

interface Extreme {
  readonly record: HistoryRecord;
  readonly id: Id;
}

/**
 * If A completed more than `slackNs` before B was invoked, every id of A is below every id of B. One sweep
 * over the calls by invocation, in parallel with one by completion that tracks the highest completed id.
 */
export function checkRealTime(
  records: readonly HistoryRecord[],
  level: HistoryLevel,
  slackNs: number,
  { compare, findings, clock }: OrderCheck,
): void {
  const filled = records.filter(({ ids }) => ids.length > 0);
  const byInvoke = filled.toSorted((a, b) => a.invoke - b.invoke);
  const byComplete = filled.toSorted((a, b) => a.complete - b.complete);
  let completed = 0;
  let highest: Extreme | undefined;
  for (const record of byInvoke) {
    for (; completed < byComplete.length; completed++) {
      const earlier = byComplete[completed];
      if (earlier === undefined || earlier.complete + slackNs >= record.invoke) break;
      const top = extreme(earlier, (a, b) => compare(a, b) > 0);
      if (highest === undefined || compare(top.id, highest.id) > 0) highest = top;
    }
    const lowest = extreme(record, (a, b) => compare(a, b) < 0);
    if (highest === undefined || compare(highest.id, lowest.id) < 0) continue;
    const { record: earlier, id } = highest;
    findings.add(
      level,
      () =>
        `id ${lowest.id} is not above ${id}, which had been given before it was asked for: ` +
        `${describeCall(record, clock)} got ${lowest.id}, ${describeCall(earlier, clock)} had got ${id}`,
    );
  }
}

/**
 * The ids of one generator increase in the order of its calls, and inside each batch. `records` are in call
 * order.
 */
export function checkFifo(
  records: readonly HistoryRecord[],
  level: HistoryLevel,
  { compare, findings, clock }: OrderCheck,
): void {
  let previous: Extreme | undefined;
  for (const record of records) {
    for (const id of record.ids) {
      if (previous !== undefined && compare(previous.id, id) >= 0) {
        const before = previous;
        findings.add(
          level,
          () =>
            `id ${id} comes after ${before.id}: ${describeCall(before.record, clock)} got ${before.id}, ` +
            `then ${describeCall(record, clock)} got ${id}`,
        );
      }
      previous = { record, id };
    }
  }
}

function extreme(record: HistoryRecord, isBetter: (a: Id, b: Id) => boolean): Extreme {
  let best: Id | undefined;
  for (const id of record.ids) if (best === undefined || isBetter(id, best)) best = id;
  if (best === undefined) throw new RangeError('a record without ids has no extreme');
  return { record, id: best };
}
