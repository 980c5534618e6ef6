import type { BenchCase, Preparable } from '../cases/case.js';
import type { CaseStatus } from '../schema/case.js';
import type { Profile } from '../schema/run.js';
import type { Job } from '../worker/job.js';
import { runWorkers, type WorkerContext, WorkerError } from '../worker/workers.js';
import type { IdleLoad } from './machine.js';
import type { Progress, Step } from './progress.js';

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

/** What is available while a session measures. */
export interface Session {
  readonly progress: Progress;
  readonly workers: Omit<WorkerContext, 'timeoutMs'>;
  readonly idleLoad: IdleLoad;
}

/** Runs the steps in turn. A worker's failure ends its own case only; a stopped run rejects. */
export async function runPhase(
  { progress, workers, idleLoad }: Session,
  { title, timeoutMs, steps }: Phase,
): Promise<void> {
  for (const step of steps) {
    if (!step.record.sound) {
      progress.drop(step);
      continue;
    }
    await idleLoad.look();
    try {
      const { casesUrl = workers.casesUrl } = step.record.benchCase;
      await progress.run(step, () => step.run({ ...workers, casesUrl, timeoutMs }));
    } catch (error) {
      step.record.blame(error, title);
    }
  }
}

/** A case that steps run for, and the first thing that went wrong with it. */
export class WorkRecord<C extends Preparable = Preparable> {
  readonly benchCase: C;
  #trouble: { readonly status: CaseStatus; readonly reason: string } | undefined;

  constructor(benchCase: C) {
    this.benchCase = benchCase;
  }

  get name(): string {
    return this.benchCase.name;
  }

  /** Whether it is still worth measuring. */
  get sound(): boolean {
    return this.#trouble === undefined;
  }

  get status(): CaseStatus {
    return this.#trouble?.status ?? 'ok';
  }

  get reason(): string | undefined {
    return this.#trouble?.reason;
  }

  /** Later calls change nothing. */
  stop(status: CaseStatus, reason: string): void {
    this.#trouble ??= { status, reason };
  }

  /** Records a worker's failure; throws any other error. */
  blame(error: unknown, phase: string): void {
    if (!(error instanceof WorkerError)) throw error;
    this.stop(error.invalid ? 'invalid' : 'failed', `${phase}: ${error.message}`);
  }
}

/** What went wrong with workers, in words. */
export function failuresOf(records: readonly WorkRecord[]): string[] {
  return records.flatMap(({ name, status, reason }) =>
    status === 'failed' || status === 'invalid' ? [`${name}: ${reason}`] : [],
  );
}

export type CaseRecord = WorkRecord<BenchCase>;

/** What is going to be measured, known before anything is started. */
export interface BenchPlan {
  readonly profile: Profile;
  readonly processes: number;
  readonly records: readonly CaseRecord[];
  /** Ids per second that a process of the service needs; undefined if that was not stated. */
  readonly rate?: number | undefined;
}

/** One thing to find out about the cases. Results fill up during the run, which can stop at any point. */
export interface Experiment<Result> {
  readonly phase: Phase;
  /** What was found out about a case; `undefined` if nothing was. */
  resultOf(record: CaseRecord, basis: Basis): Result | undefined;
}

/** What ratios and intervals are computed with. */
export interface Basis {
  readonly controls: readonly CaseRecord[];
  /** Of the bootstrap. */
  readonly seed: number;
}

/** The answers of one worker per case and block. */
export class Trials<Answer> {
  readonly #byRecord = new Map<WorkRecord, (Answer | null)[]>();

  /** By block; `null` if the block was not finished. */
  of(record: WorkRecord): readonly (Answer | null)[] {
    return this.#byRecord.get(record) ?? [];
  }

  finished(record: WorkRecord): Answer[] {
    // A block that was never started is a hole in the array.
    return this.of(record).filter((answer) => answer !== null && answer !== undefined) as Answer[];
  }

  /** Runs `job` in a fresh process, for one block. */
  async run<Request>(
    job: Job<Request, Answer>,
    request: Request,
    [record, block]: readonly [WorkRecord, number],
    context: WorkerContext,
  ): Promise<void> {
    const trials = this.#byRecord.get(record) ?? [];
    this.#byRecord.set(record, trials);
    trials[block] = null;
    const [answer] = await runWorkers(job, [request], record.name, context);
    trials[block] = answer ?? null;
  }
}

/** Seconds that a process takes in addition to its measuring: a guess for the progress line. */
export const PROCESS_S = 0.4;

/** Steps block by block, every record once per block, in the order of `balanced`. */
export function blocksOf<Record>(
  records: readonly Record[],
  blocks: number,
  stepOf: (record: Record, block: number) => CaseStep,
): CaseStep[] {
  return Array.from({ length: blocks }, (_, block) =>
    balanced(records, block).map((record) => stepOf(record, block)),
  ).flat();
}

/**
 * The order of `items` in a block, from 0: the rows of a Williams design (Williams 1949). Over all of its
 * rows, which are as many as the items or, for an odd number, twice as many, each item is in each place
 * equally often and follows each other item equally often. So what one leaves behind, such as a hot cache or
 * a busy disk, does not favour another.
 */
export function balanced<T>(items: readonly T[], block: number): T[] {
  const count = items.length;
  if (count < 2) return [...items];
  const rows = count % 2 === 0 ? count : 2 * count;
  const row = block % rows;
  // The first row goes to and fro: 0, 1, n - 1, 2, n - 2, ... The others are shifted by one each.
  const places = Array.from({ length: count }, (_, i) => (i % 2 === 1 ? (i + 1) / 2 : count - i / 2));
  // With an odd number, half of the rows run backwards.
  if (row >= count) places.reverse();
  return places.map((place) => items[(place + row) % count] as T);
}
