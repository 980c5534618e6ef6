import type { Id } from '@ids/core';
import { type CompareIds, inversionsOf } from '@ids/core/order';
import type { HistoryRecord } from '../history.js';
import { type Clock, describeCall, type Findings, type HistoryLevel } from './findings.js';

export interface OrderCheck {
  readonly compare: CompareIds;
  readonly findings: Findings;
  readonly clock: Clock;
}

/** If A completed more than `slackNs` before B was invoked, every id of A is below every id of B. */
export function checkRealTime(
  records: readonly HistoryRecord[],
  level: HistoryLevel,
  slackNs: number,
  { compare, findings, clock }: OrderCheck,
): void {
  const filled = records.filter(({ ids }) => ids.length > 0);
  for (const { earlier, later, high, low } of inversionsOf(filled, compare, slackNs)) {
    findings.add(
      level,
      () =>
        `id ${low} is not above ${high}, which had been given before it was asked for: ` +
        `${describeCall(later, clock)} got ${low}, ${describeCall(earlier, clock)} had got ${high}`,
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
  let previous: { readonly record: HistoryRecord; readonly id: Id } | undefined;
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
