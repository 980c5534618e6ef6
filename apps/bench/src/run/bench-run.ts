import type { Profile } from '../profile.js';
import type { Progress, Step } from '../progress/progress.js';
import type { WorkerContext } from '../worker/run-workers.js';
import type { IdleLoad } from './idle-load.js';
import type { CaseRecord, WorkRecord } from './work-record.js';

/** What is going to be measured, known before anything is started. */
export interface BenchPlan {
  readonly profile: Profile;
  readonly processes: number;
  readonly records: readonly CaseRecord[];
}

/** What is there while it is measured. */
export interface BenchRun {
  readonly progress: Progress;
  readonly workers: Omit<WorkerContext, 'timeoutMs'>;
  readonly idleLoad: IdleLoad;
}

/** A step for one case. */
export interface CaseStep extends Step {
  readonly record: WorkRecord;
  run(context: WorkerContext): Promise<void>;
}

/** A part of the run: its steps are known before it starts. */
export interface Phase {
  readonly title: string;
  readonly timeoutMs: number;
  readonly steps: readonly CaseStep[];
}

/** Runs the steps in turn. A worker's failure ends its own case only; a stopped run rejects. */
export async function runPhase(
  { progress, workers, idleLoad }: BenchRun,
  { title, timeoutMs, steps }: Phase,
): Promise<void> {
  for (const step of steps) {
    if (!step.record.sound) {
      progress.drop(step);
      continue;
    }
    await idleLoad.look();
    try {
      await progress.run(step, () => step.run({ ...workers, timeoutMs }));
    } catch (error) {
      step.record.blame(error, title);
    }
  }
}
