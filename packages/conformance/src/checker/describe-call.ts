import type { HistoryRecord, RecordedCall } from '../history/history.js';
import { type IssueOrder, idOfProcess, recordAt } from './issue-order.js';

/** Turns nanoseconds into milliseconds since the first call of the run, so that a reader can line events up. */
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
