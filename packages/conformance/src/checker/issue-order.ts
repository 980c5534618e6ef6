import type { Id } from '@ids/core';
import type { HistoryRecord } from '../history/history.js';

/**
 * The ids of a history in a row: by process, by call, by place in the batch. Index into
 * it to reach any of them.
 */
export interface IssueOrder {
  readonly records: readonly HistoryRecord[];
  readonly ids: readonly Id[];
  /** For each id, the index of its record. */
  readonly recordOf: Uint32Array;
}

export function issueOrder(history: readonly HistoryRecord[]): IssueOrder {
  const records = [...history].sort((a, b) => a.process - b.process || a.call - b.call);
  const ids = records.flatMap((record) => record.ids);
  const recordOf = new Uint32Array(ids.length);
  let next = 0;
  for (const [index, record] of records.entries()) {
    recordOf.fill(index, next, next + record.ids.length);
    next += record.ids.length;
  }
  return { records, ids, recordOf };
}

/** The record that holds the id at `index`; the index must lie inside. */
export function recordAt({ records, recordOf }: IssueOrder, index: number): HistoryRecord {
  const record = records[recordOf[index] ?? -1];
  if (record === undefined) throw new RangeError(`no id at ${index}`);
  return record;
}

/** The id at `index` in issue order, if it belongs to `process`. */
export function idOfProcess(order: IssueOrder, index: number, process: number): Id | undefined {
  const inside = index >= 0 && index < order.ids.length;
  return inside && recordAt(order, index).process === process ? order.ids[index] : undefined;
}
