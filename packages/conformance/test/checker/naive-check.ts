import type { Id } from '@ids/core';
import type { History, HistoryLevel, HistoryRecord } from '../../src/index.js';

interface Issued {
  readonly id: Id;
  readonly record: HistoryRecord;
  readonly place: number;
}

/**
 * Whether a history holds, pair by pair, as the definitions of the levels say it: O(n²), for comparison only.
 */
export function naiveHolds(history: History, level: HistoryLevel, skewMs = 0): boolean {
  const issued = history.records.flatMap((record) =>
    record.ids.map((id, place): Issued => ({ id, record, place })),
  );
  return issued.every((a) => issued.every((b) => a === b || pairHolds(a, b, level, skewMs)));
}

function pairHolds(a: Issued, b: Issued, level: HistoryLevel, skewMs: number): boolean {
  const rises = a.id < b.id;
  const sameProcess = a.record.process === b.record.process;
  const earlierInBatch = a.record === b.record && a.place < b.place;
  const completedBefore = a.record.complete < b.record.invoke;
  switch (level) {
    case 'settled':
      return true;
    case 'unique':
      return a.id !== b.id;
    case 'increasing':
      return rises || !(earlierInBatch || (sameProcess && completedBefore));
    case 'fifo':
      return rises || !(earlierInBatch || (sameProcess && a.record.call < b.record.call));
    case 'real-time':
      return rises || !completedBefore;
    case 'k-sorted':
      return rises || !(a.record.complete + skewMs * 1e6 < b.record.invoke);
  }
}
