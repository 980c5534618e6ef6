import type { Id } from '@ids/core';
import type { HistoryRecord, RecordedCall } from '../history.js';

/** What can be required of a history. `docs/guarantees.md` defines each level. */
export type HistoryLevel =
  /** Every call settled within its time limit. Always checked. */
  | 'settled'
  /** No id was issued twice. */
  | 'unique'
  /** Per generator: if A completed before B was invoked, A < B; the ids of a batch increase. */
  | 'increasing'
  /**
   * Per generator: calls get increasing ids in the order in which they were made, even while others are
   * pending.
   */
  | 'fifo'
  /** Across all generators: if A completed before B was invoked, A < B. */
  | 'real-time'
  /** Across all generators: if A completed more than `skewMs` before B was invoked, A < B. */
  | 'k-sorted';

/** How many violations of one level are described; the rest are only counted. */
const DESCRIBED = 5;

/** Counts violations and keeps the messages of the first few. */
export class Findings {
  readonly counts: Record<HistoryLevel, number> = {
    settled: 0,
    unique: 0,
    increasing: 0,
    fifo: 0,
    'real-time': 0,
    'k-sorted': 0,
  };
  readonly messages: string[] = [];

  add(level: HistoryLevel, describe: () => string): void {
    this.counts[level] += 1;
    if (this.counts[level] <= DESCRIBED) this.messages.push(`${level}: ${describe()}`);
  }
}

/** Converts nanoseconds to milliseconds since the first call of the run. */
export type Clock = (ns: number) => string;

export function clockSince(start: number): Clock {
  return (ns) => `${((ns - start) / 1e6).toFixed(3)} ms`;
}

/** `process 1 call 17 (12.300 ms .. 12.900 ms)` */
export function describeCall(call: RecordedCall | HistoryRecord, clock: Clock): string {
  const end = 'complete' in call ? clock(call.complete) : 'never';
  return `process ${call.process} call ${call.call} (${clock(call.invoke)} .. ${end})`;
}

/** Like `describeCall`, with the ids that the process issued before and after the one at `index`. */
export function describeIssue(order: IssueOrder, index: number, clock: Clock): string {
  const record = recordAt(order, index);
  const before = idOfProcess(order, index - 1, record.process);
  const after = idOfProcess(order, index + 1, record.process);
  const neighbours = [
    before === undefined ? 'its first' : `after ${before}`,
    after === undefined ? 'its last' : `before ${after}`,
  ];
  return `${describeCall(record, clock)}, ${neighbours.join(' and ')}`;
}

/** The ids of a history as one list: by process, by call, by position in the batch. */
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

/** The record that holds the id at `index`; the index must be in range. */
function recordAt({ records, recordOf }: IssueOrder, index: number): HistoryRecord {
  const record = records[recordOf[index] ?? -1];
  if (record === undefined) throw new RangeError(`no id at ${index}`);
  return record;
}

/** The id at `index` in issue order, if `process` issued it. */
function idOfProcess(order: IssueOrder, index: number, process: number): Id | undefined {
  const inside = index >= 0 && index < order.ids.length;
  return inside && recordAt(order, index).process === process ? order.ids[index] : undefined;
}
