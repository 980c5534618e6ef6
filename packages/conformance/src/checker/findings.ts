import type { HistoryRecord, RecordedCall } from '../history/history.js';
import { type IssueOrder, idOfProcess, recordAt } from './issue-order.js';

/** What can be required of a history. `docs/guarantees.md` defines each word. */
export type HistoryLevel =
  /** Every call settled within its time. Always checked. */
  | 'settled'
  /** No id was given twice. */
  | 'unique'
  /** Per generator: if A completed before B was invoked then A < B; ids of one batch rise. */
  | 'increasing'
  /**
   * Per generator: calls get rising ids in the order in which they were made, also while others are pending.
   */
  | 'fifo'
  /** Over all generators: if A completed before B was invoked then A < B. */
  | 'real-time'
  /** Over all generators: if A completed more than `skewMs` before B was invoked then A < B. */
  | 'k-sorted';

/** How many violations of one level are written out; the rest is counted only. */
const DESCRIBED = 5;

/** Counts violations and keeps the sentences of the first few. */
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

/**
 * Turns nanoseconds into milliseconds since the first call of the run, so that a reader can line events up.
 */
export type Clock = (ns: number) => string;

export function clockSince(start: number): Clock {
  return (ns) => `${((ns - start) / 1e6).toFixed(3)} ms`;
}

/** `process 1 call 17 (12.300 ms .. 12.900 ms)` */
export function describeCall(call: RecordedCall | HistoryRecord, clock: Clock): string {
  const end = 'complete' in call ? clock(call.complete) : 'never';
  return `process ${call.process} call ${call.call} (${clock(call.invoke)} .. ${end})`;
}

/** As `describeCall`, with the ids that the process gave before and after the one at `index`. */
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
