import { emptyHistory, type History } from '../history.js';
import { type Inspection, inspectProcess, recordProcesses, startProcesses } from '../members/recording.js';
import type { ConformanceSubject } from '../subject.js';

/** Processes that run together and then close their generators. */
export const PROCESSES = 4;

/**
 * What each process calls by turns. Batches alone would not show one that spoils the calls of `next` after
 * it.
 */
export const MIXED = ['next', 'next', 3, 'next', 'next', 20, 'next'] as const;

/** Ids that a process issues before it is killed. */
const BEFORE_KILL = 200;

/** Processes on one set-up, recorded once and judged by several cases. */
export interface ProcessLives {
  /** Processes 1 to 4, which ran together. */
  readonly together: History;
  /** Also process 5, killed meanwhile, with calls pending, and process 6, which started after all of them. */
  readonly all: History;
  /** What is found in one more process, on a set-up of its own, which is started by the first call. */
  inspect(): Promise<Inspection>;
}

const runs = new WeakMap<ConformanceSubject, Promise<ProcessLives>>();

/**
 * One run, shared by several cases: starting the processes takes most of the time. With `keys`, of a keyed
 * generator, whose calls take them by turns.
 */
export function processLives(subject: ConformanceSubject, keys?: readonly string[]): Promise<ProcessLives> {
  const known = runs.get(subject);
  if (known !== undefined) return known;
  const run = record(subject, keys);
  runs.set(subject, run);
  return run;
}

async function record(subject: ConformanceSubject, keys?: readonly string[]): Promise<ProcessLives> {
  const { module } = subject;
  const common = {
    module,
    context: await subject.fresh(),
    callers: 8,
    batch: MIXED,
    ...(keys && { keys }),
  };
  const [together, killed] = await Promise.all([
    recordProcesses({ ...common, processes: PROCESSES, perCaller: 250 }),
    recordKilled(common),
  ]);
  const last = { ...common, perCaller: 50 };
  const successor = await recordProcesses({ ...last, processes: 1 });
  const all = emptyHistory();
  for (const [part, after] of [
    [together, 0],
    [killed, PROCESSES],
    [successor, PROCESSES + 1],
  ] as const) {
    appendHistory(part, after, all);
  }
  // On a set-up of its own: that of the others may be gone with the test that asked for them.
  const inspectOnce = async () => inspectProcess({ ...last, context: await subject.fresh() });
  let inspection: Promise<Inspection> | undefined;
  return { together, all, inspect: () => (inspection ??= inspectOnce()) };
}

async function recordKilled(
  options: Pick<Parameters<typeof startProcesses>[0], 'module' | 'context' | 'callers' | 'batch' | 'keys'>,
): Promise<History> {
  await using recording = await startProcesses({ ...options, processes: 1, pauseMs: 1 });
  await recording.issued(BEFORE_KILL);
  recording.kill(1, 'SIGKILL');
  return recording.history;
}

/** Appends `part` to `all`, with its process numbers raised by `after`. */
export function appendHistory(part: History, after: number, all: History): void {
  const raised = <C extends { readonly process: number }>(call: C): C => ({
    ...call,
    process: call.process + after,
  });
  for (const record of part.records) all.records.push(raised(record));
  for (const failure of part.failures) all.failures.push(raised(failure));
  for (const call of part.unsettled) all.unsettled.push(raised(call));
}
