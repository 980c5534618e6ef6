import { type SlowdownRequest, slowdownJob } from '../measure/slowdown.js';
import type { SlowdownResult } from '../schema/figures.js';
import { type WorkerContext, WorkerProcess } from '../worker/workers.js';
import { PROCESS_MS } from './profile.js';
import { type BenchPlan, type CaseRecord, type Experiment, oncePerCase, strategiesOf } from './steps.js';

/**
 * Whether a generator gets slower with its age or the number of its ids, which trials in fresh processes
 * cannot show. The processes of all strategies rest at the same time, between their first ids and their later
 * ones.
 */
export function slowdown({ profile, records }: BenchPlan): Experiment<SlowdownResult> {
  const { slowdownMs: restMs, timeoutMs } = profile;
  const strategies = strategiesOf(records);
  const workers = new Map<CaseRecord, WorkerProcess<SlowdownRequest, SlowdownResult>>();
  const start = async (record: CaseRecord, context: WorkerContext) => {
    const subject = { caseName: record.name, processIndex: 0 };
    // It waits while the others take their turns.
    const lasting = { ...context, timeoutMs: restMs + (1 + strategies.length) * timeoutMs.trial };
    const worker = new WorkerProcess(slowdownJob, { restMs }, subject, lasting);
    workers.set(record, worker);
    await worker.within(context.timeoutMs, Promise.race([worker.ready, worker.answer]));
  };
  // Of two steps per strategy, the first one starts a process, and all rest together.
  const stepMs = { work: PROCESS_MS / 2, fixed: restMs / strategies.length / 2 };
  const about = { timeoutMs: timeoutMs.trial, stepMs };
  const first = oncePerCase({ ...about, title: 'first ids' }, strategies, start);
  const later = oncePerCase({ ...about, title: 'slowdown' }, strategies, (record, context) => {
    const worker = workers.get(record);
    if (worker === undefined) throw new Error('it was not started');
    worker.go();
    return worker.within(context.timeoutMs, worker.answer);
  });
  return { ...later, phase: { ...later.phase, steps: [...first.phase.steps, ...later.phase.steps] } };
}
