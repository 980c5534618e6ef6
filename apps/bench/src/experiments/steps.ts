import type { BenchCase, Preparable, StrategyCase } from '../cases/case.js';
import type { CaseStatus } from '../schema/case.js';
import type { Job } from '../worker/job.js';
import { runWorkers, type WorkerContext, WorkerError } from '../worker/workers.js';
import type { IdleLoad } from './machine.js';
import type { Profile } from './profile.js';

/** A step of a run. */
export interface Step {
  /** Such as "closed loops 3/5". */
  readonly phase: string;
  /** The case, or what else is handled. */
  readonly name: string;
}

/** A step for one case. */
export interface CaseStep extends Step {
  readonly record: WorkRecord;
  run(context: WorkerContext): Promise<void>;
}

/** How long a step takes on idle cores, on average, in milliseconds. */
export interface StepMs {
  /** Takes longer while other programs are busy: to start processes, and to do what is counted. */
  readonly work: number;
  /** Never takes longer: to measure for a certain time, and to wait. */
  readonly fixed: number;
}

/** A part of the run: its steps are known before it starts. */
export interface Phase {
  readonly title: string;
  readonly timeoutMs: number;
  /** What is announced depends on it. */
  readonly stepMs: StepMs;
  readonly steps: readonly CaseStep[];
}

/** What is available while a session measures. */
export interface Session {
  readonly show: (step: Step) => void;
  readonly workers: Omit<WorkerContext, 'timeoutMs'>;
  readonly idleLoad: IdleLoad;
  /** What corrects the time left. */
  readonly timeLeft: { ended(tookMs: number): void };
}

/** Runs the steps in turn. A worker's failure ends its own case only; a stopped run rejects. */
export async function runPhase(
  { show, workers, idleLoad, timeLeft }: Session,
  { title, timeoutMs, steps }: Phase,
): Promise<void> {
  for (const step of steps) {
    show(step);
    const start = performance.now();
    if (step.record.sound) await runStep(step);
    timeLeft.ended(performance.now() - start);
  }

  async function runStep(step: CaseStep): Promise<void> {
    await idleLoad.look();
    try {
      const { casesUrl = workers.casesUrl } = step.record.benchCase;
      await step.run({ ...workers, casesUrl, timeoutMs });
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      step.record.stop(error.invalid ? 'invalid' : 'failed', `${title}: ${error.message}`);
    }
  }
}

/** A case that steps run for, and the first thing that went wrong with it. */
export class WorkRecord<C extends Preparable = Preparable> {
  readonly benchCase: C;
  status: CaseStatus = 'ok';
  /** Why it is not `ok`. */
  reason: string | undefined;

  constructor(benchCase: C) {
    this.benchCase = benchCase;
    if (benchCase.missing !== undefined) this.stop('skipped', benchCase.missing);
  }

  get name(): string {
    return this.benchCase.name;
  }

  /** Whether it is still worth measuring. */
  get sound(): boolean {
    return this.status === 'ok';
  }

  /** Later calls change nothing. */
  stop(status: CaseStatus, reason: string): void {
    if (this.sound) Object.assign(this, { status, reason });
  }
}

/** What went wrong with workers, in words. */
export function failuresOf(records: readonly WorkRecord[]): string[] {
  const failed = records.filter(({ status }) => status === 'failed' || status === 'invalid');
  return failed.map(({ name, reason }) => `${name}: ${reason}`);
}

export type CaseRecord = WorkRecord<BenchCase>;

export function strategiesOf(records: readonly CaseRecord[]): WorkRecord<StrategyCase>[] {
  return records.filter((one): one is WorkRecord<StrategyCase> => one.benchCase.kind === 'strategy');
}

/** What a case is compared with, the first one first. */
export function controlsOf({ comparedWith }: StrategyCase, records: readonly CaseRecord[]): CaseRecord[] {
  const named = (name: string) => records.filter((record) => record.name === name);
  return comparedWith.flatMap(named);
}

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
  /** What was found out about a case, compared with its controls; `undefined` if nothing was. */
  resultOf(record: CaseRecord, controls: readonly CaseRecord[]): Result | undefined;
}

/** An experiment with one step per case, which `find` finds the result of. */
export function oncePerCase<Result, Record extends CaseRecord>(
  about: Omit<Phase, 'steps'>,
  records: readonly Record[],
  find: (record: Record, context: WorkerContext) => Promise<Result>,
): Experiment<Result> {
  const results = new Map<CaseRecord, Result>();
  const steps = records.map((record): CaseStep => {
    const run = async (context: WorkerContext) => {
      results.set(record, await find(record, context));
    };
    return { phase: about.title, name: record.name, record, run };
  });
  return { phase: { ...about, steps }, resultOf: (record) => results.get(record) };
}

/** A phase that asks one worker per case and block, and the answers so far. */
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

  /** Every record once per block, in the order of `balanced`. Without a request, a block is left out. */
  phase<Request, Record extends WorkRecord>(
    { blocks, ...about }: Omit<Phase, 'steps'> & { readonly blocks: number },
    records: readonly Record[],
    job: Job<Request, Answer>,
    requestFor: (record: Record, block: number) => Request | undefined,
  ): Phase {
    const steps = Array.from({ length: blocks }, (_, block) =>
      balanced(records, block).map((record): CaseStep => {
        const run = async (context: WorkerContext) => {
          const request = requestFor(record, block);
          if (request !== undefined) await this.run(job, request, [record, block], context);
        };
        return { phase: `${about.title} ${block + 1}/${blocks}`, name: record.name, record, run };
      }),
    );
    return { ...about, steps: steps.flat() };
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
