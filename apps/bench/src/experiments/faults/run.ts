import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StrategyCase } from '../../cases/case.js';
import { selectCases } from '../../cases/select.js';
import type { FaultResult, Profile, Timeline } from '../../schema/run.js';
import { type WorkerContext, WorkerError, WorkerProcess } from '../../worker/workers.js';
import { type RunOptions, runSession, type SessionFacts } from '../session.js';
import { type CaseStep, failuresOf, WorkRecord } from '../steps.js';
import { type Fault, faults, type Scene } from './faults.js';
import {
  type Asked,
  askedByAny,
  monotonicMs,
  readIssued,
  type SoakAnswer,
  type SoakRequest,
  soakJob,
} from './soak.js';

/** Seconds to start servers and processes: a guess for the progress line. */
const SETUP_S = 3;

/**
 * Injects the faults, one after the other, for the strategies named in `only` (all by default). Every fault
 * has servers of its own: those that REDIS_URL and DATABASE_URL name are never touched. Rejects with a
 * `UsageError` for an unknown name.
 */
export async function runFaults(
  options: RunOptions,
): Promise<SessionFacts & { readonly faults: readonly FaultResult[]; readonly problems: readonly string[] }> {
  const { list, only, profile, view, signal } = options;
  const results: FaultResult[] = [];
  const strategies = selectCases(list.cases, only).filter((one) => one.kind === 'strategy');
  const records: WorkRecord[] = [];
  const steps = strategies.flatMap((strategy) =>
    faults
      .filter((fault) => fault.concerns(strategy))
      .map((fault): CaseStep => {
        // Each fault starts its own servers, so the session starts none; and a failure in one fault must not
        // skip the next.
        const { name, casesUrl } = strategy;
        const record = new WorkRecord({ name, backends: [], ...(casesUrl !== undefined && { casesUrl }) });
        records.push(record);
        return {
          phase: fault.name,
          name: strategy.name,
          seconds: SETUP_S + profile.soakMs[fault.outage ? 'outage' : 'brief'] / 1_000,
          record,
          async run(context) {
            results.push(await tryFault(fault, strategy, profile.soakMs, context));
          },
        };
      }),
  );
  const phase = { title: 'faults', timeoutMs: profile.timeoutMs.trial, steps };
  const facts = await runSession({ casesUrl: list.url, records, phases: [phase], view, signal });
  return { ...facts, faults: results, problems: [...failuresOf(records), ...results.flatMap(problemsOf)] };
}

function problemsOf({ strategy, fault, duplicates, ids, example }: FaultResult): string[] {
  if (duplicates === 0) return [];
  return [`${strategy}: ${fault}: ${duplicates} duplicates in ${ids} ids, such as ${example}`];
}

const PROCESSES = 3;
/** Before the fault. */
const CALM_MS = 700;

/** Lets processes request ids during a fault, and examines the ids that they got. */
async function tryFault(
  fault: Fault,
  strategy: StrategyCase,
  soakMs: Profile['soakMs'],
  context: WorkerContext,
): Promise<FaultResult> {
  const about = { fault: fault.name, what: fault.what, strategy: strategy.name };
  let scene: Scene;
  try {
    scene = await fault.open(strategy.backends);
  } catch (error) {
    const skipped = (error as Error).message;
    return { ...about, skipped, ids: 0, duplicates: 0, withoutIdsMs: 0, errors: 0 };
  }
  const environment = { runId: context.environment.runId, ...scene.urls };
  const soaking = new Soaking(strategy.name, { ...context, environment }, fault, soakMs);
  try {
    await strategy.prepare?.({ ...environment, processIndex: 0 });
    for (let i = 0; i < PROCESSES; i++) soaking.add();
    await soaking.started();
    await delay(CALM_MS);
    const from = monotonicMs();
    await scene.strike({ replaceOne: () => soaking.replaceFirst() });
    const to = monotonicMs();
    const answers = await soaking.ended();
    const [firstError] = answers.flatMap((answer) => answer.firstError ?? []);
    const asked = askedByAny(answers);
    const { times, ...issued } = await readIssued(soaking.paths, asked);
    const timeline = timelineOf(times, { from, to }, asked);
    return {
      ...about,
      ...issued,
      ...(timeline && { timeline }),
      errors: answers.reduce((sum, { errors }) => sum + errors, 0),
      ...(firstError !== undefined && { firstError }),
    };
  } finally {
    soaking.kill();
    await scene.close();
    await Promise.all(soaking.paths.map((path) => rm(path, { force: true })));
  }
}

/** The processes that request ids during one fault. */
class Soaking {
  readonly paths: string[] = [];
  readonly #name: string;
  readonly #context: WorkerContext;
  readonly #fault: Fault;
  readonly #ms: number;
  readonly #workers: WorkerProcess<SoakRequest, SoakAnswer>[] = [];
  #killed: WorkerProcess<SoakRequest, SoakAnswer> | undefined;

  constructor(name: string, context: WorkerContext, fault: Fault, soakMs: Profile['soakMs']) {
    this.#name = name;
    this.#context = context;
    this.#fault = fault;
    this.#ms = fault.outage ? soakMs.outage : soakMs.brief;
  }

  add(): void {
    const processIndex = this.paths.length;
    const path = join(this.#context.scratchDir, `soak-${processIndex}`);
    const request = { path, ms: this.#ms, ...(this.#fault.clockBack && { clockBackAfterMs: CALM_MS }) };
    const subject = { caseName: this.#name, processIndex };
    const worker = new WorkerProcess(soakJob, request, subject, this.#context);
    this.paths.push(path);
    this.#workers.push(worker);
    void worker.ready.then(() => worker.go());
  }

  async started(): Promise<void> {
    await Promise.race([
      Promise.all(this.#workers.map(({ ready }) => ready)),
      // A failure before all are ready ends the wait.
      Promise.all(this.#workers.map(({ answer }) => answer)),
    ]);
  }

  replaceFirst(): void {
    this.#killed = this.#workers[0];
    this.#killed?.kill();
    this.add();
  }

  /** The answers of the processes that were not killed. */
  async ended(): Promise<SoakAnswer[]> {
    const answers = await Promise.all(
      this.#workers.map((worker) =>
        worker.answer.catch((error: unknown) => {
          if (worker === this.#killed && error instanceof WorkerError) return undefined;
          throw error;
        }),
      ),
    );
    return answers.filter((answer) => answer !== undefined);
  }

  kill(): void {
    for (const worker of this.#workers) worker.kill();
  }
}

const BIN_MS = 250;

/**
 * From the first id to the last, or until nobody asked any more. All times are milliseconds on one clock.
 */
export function timelineOf(
  times: readonly number[],
  struck: { readonly from: number; readonly to: number },
  { until }: Pick<Asked, 'until'>,
): Timeline | undefined {
  if (times.length === 0) return undefined;
  let first = Number.POSITIVE_INFINITY;
  let last = until;
  for (const time of times) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  const ids = new Array<number>(Math.floor((last - first) / BIN_MS) + 1).fill(0);
  for (const time of times) {
    const bin = Math.floor((time - first) / BIN_MS);
    ids[bin] = (ids[bin] ?? 0) + 1;
  }
  const since = (time: number) => Math.max(0, Math.round(time - first));
  return { binMs: BIN_MS, ids, struck: { fromMs: since(struck.from), toMs: since(struck.to) } };
}
