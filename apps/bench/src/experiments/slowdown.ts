import { type SlowdownRequest, slowdownJob } from '../measure/slowdown.js';
import type { SlowdownResult } from '../schema/figures.js';
import { WorkerError, WorkerProcess } from '../worker/workers.js';
import { type BenchPlan, type CaseRecord, type CaseStep, type Experiment, PROCESS_S } from './steps.js';

/**
 * Whether a generator gets slower with its age or the number of its ids, which trials in fresh processes
 * cannot show. The processes of all strategies rest at the same time, between their first ids and their later
 * ones.
 */
export function slowdown({ profile, records }: BenchPlan): Experiment<SlowdownResult> {
  const { slowdownMs: restMs = 0 } = profile;
  const workers = new Map<CaseRecord, WorkerProcess<SlowdownRequest, SlowdownResult>>();
  const results = new Map<CaseRecord, SlowdownResult>();
  const concerned = records.filter(({ benchCase }) => benchCase.kind === 'strategy');
  const first = concerned.map((record): CaseStep => {
    const run: CaseStep['run'] = async (context) => {
      const subject = { caseName: record.name, processIndex: 0 };
      const lasting = { ...context, timeoutMs: LONGEST_TIMEOUT_MS };
      const worker = new WorkerProcess(slowdownJob, { restMs }, subject, lasting);
      workers.set(record, worker);
      await within(context.timeoutMs, worker, Promise.race([worker.ready, worker.answer]));
    };
    return { phase: 'first ids', name: record.name, seconds: PROCESS_S + 0.2, record, run };
  });
  const later = concerned.map((record, place): CaseStep => {
    const run: CaseStep['run'] = async ({ timeoutMs }) => {
      const worker = workers.get(record);
      if (worker === undefined) return;
      worker.go();
      results.set(record, await within(timeoutMs, worker, worker.answer));
    };
    const rest = Math.max(0, restMs / 1_000 - concerned.length * (PROCESS_S + 0.2));
    return { phase: 'later ids', name: record.name, seconds: 0.5 + (place === 0 ? rest : 0), record, run };
  });
  return {
    phase: { title: 'slowdown', timeoutMs: profile.timeoutMs.trial, steps: [...first, ...later] },
    resultOf: (record) => results.get(record),
  };
}

/** A worker waits for its turn: each of its two parts has a limit of its own. Longer times are no timers. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

async function within<T>(ms: number, worker: { kill(): void }, part: Promise<T>): Promise<T> {
  let hung = false;
  const timer = setTimeout(() => {
    hung = true;
    worker.kill();
  }, ms);
  try {
    return await part;
  } catch (error) {
    throw hung ? new WorkerError(`hung: no end after ${ms / 1_000} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}
