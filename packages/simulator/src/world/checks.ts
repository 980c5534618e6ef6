import { checkHistory, emptyHistory, type History, type HistoryLevel } from '@ids/conformance';
import type { Violated, WorldProcess } from './base-world.js';
import type { SequenceCalls } from './sequence-calls.js';

interface CallingProcess extends WorldProcess {
  /** Its calls for one sequence; undefined if it has none. */
  calls(name: string): SequenceCalls | undefined;
}

/** What processes did with a sequence. */
export function historyOf(processes: readonly CallingProcess[], name: string): History {
  const all = emptyHistory();
  for (const process of processes) {
    const { records, failures, unsettled } = process.calls(name)?.history ?? emptyHistory();
    all.records.push(...records);
    all.failures.push(...failures);
    // The calls of a killed process end with it.
    if (!process.owner.dead) all.unsettled.push(...unsettled);
  }
  return all;
}

/** `of` begins each sentence. */
export function checkLevels(
  history: History,
  levels: readonly HistoryLevel[],
  violated: Violated,
  of = '',
): void {
  for (const message of checkHistory(history, { levels }).messages) {
    const [kind = '', ...rest] = message.split(': ');
    violated(kind, of + rest.join(': '));
  }
}

/** How much later than its deadline a call may end, since timers fire late and clocks drift. */
const DEADLINE_SLACK = { factor: 1.1, ms: 100 };

export function checkDeadlines(
  { records, failures }: History,
  deadlineMs: number,
  processes: readonly WorldProcess[],
  violated: Violated,
): void {
  const limitMs = deadlineMs * DEADLINE_SLACK.factor + DEADLINE_SLACK.ms;
  const paused = new Set(processes.filter((one) => one.paused).map((one) => one.number));
  for (const call of [...records, ...failures]) {
    const tookMs = (call.complete - call.invoke) / 1e6;
    if (tookMs <= limitMs || paused.has(call.process)) continue;
    violated(
      'deadline',
      `process ${call.process} call ${call.call} took ${tookMs.toFixed(0)} ms of ${deadlineMs}`,
    );
  }
}
