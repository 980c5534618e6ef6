import type { History } from '../history/history.js';
import type { CallPlan } from '../history/record-calls.js';
import { type Recording, startRecording } from './recording.js';
import { type Member, startProcess, startThread } from './start-member.js';

export interface RecordOptions extends CallPlan {
  /** As `ConformanceSubject.module`. */
  readonly module: URL;
  /** As `ConformanceSubject.fresh` returns it. */
  readonly context: unknown;
  /** How many processes, each with one generator; at least 1. */
  readonly processes: number;
  /**
   * Ends the run after so many milliseconds. Without this and without `perCaller` it goes on until `stop()`.
   */
  readonly durationMs?: number;
}

/** Starts child processes that call a generator each, and resolves once all of them are at work. */
export function startProcesses(options: RecordOptions): Promise<Recording> {
  return start(options, startProcess);
}

/** As `startProcesses`, run to its end. Needs `perCaller` or `durationMs`, else a `TypeError`. */
export async function recordProcesses(options: RecordOptions): Promise<History> {
  return (await start(bounded(options), startProcess)).history;
}

/** As `recordProcesses` with worker threads of this process in place of processes. */
export async function recordThreads(options: RecordOptions): Promise<History> {
  return (await start(bounded(options), startThread)).history;
}

async function start(options: RecordOptions, startMember: () => Member): Promise<Recording> {
  const { module, context, processes, durationMs, ...plan } = options;
  const members = Array.from({ length: processes }, startMember);
  const recording = await startRecording(members, { module, context, plan });
  if (durationMs !== undefined) {
    const timer = setTimeout(recording.stop, durationMs);
    const stopTimer = (): void => clearTimeout(timer);
    recording.history.then(stopTimer, stopTimer);
  }
  return recording;
}

function bounded(options: RecordOptions): RecordOptions {
  if (options.perCaller === undefined && options.durationMs === undefined) {
    throw new TypeError(
      'a run to its end needs perCaller or durationMs; startProcesses() goes on until stop()',
    );
  }
  return options;
}
