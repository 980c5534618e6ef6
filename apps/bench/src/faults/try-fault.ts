import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StrategyCase } from '../bench-case.js';
import type { Profile } from '../profile.js';
import type { WorkerContext } from '../worker/run-workers.js';
import { WorkerError, WorkerProcess } from '../worker/worker-process.js';
import type { Fault, FaultResult, Scene, Timeline } from './fault.js';
import { readGiven } from './read-given.js';
import type { SoakAnswer } from './soak.js';

const PROCESSES = 3;
/** Before the fault. */
const CALM_MS = 700;

/** Lets processes ask for ids while something goes wrong, and says what became of the ids. */
export async function tryFault(
  fault: Fault,
  strategy: StrategyCase,
  soakMs: Profile['soakMs'],
  context: WorkerContext,
): Promise<FaultResult> {
  const told = { fault: fault.name, what: fault.what, strategy: strategy.name };
  let scene: Scene;
  try {
    scene = await fault.open(strategy.backends);
  } catch (error) {
    const skipped = (error as Error).message;
    return { ...told, skipped, ids: 0, duplicates: 0, withoutIdsMs: 0, errors: 0 };
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
    const { times, ...given } = await readGiven(soaking.paths);
    const timeline = timelineOf(times, { from, to });
    return {
      ...told,
      ...given,
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

/** The clock of all processes of this machine. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** The processes of one try. */
class Soaking {
  readonly paths: string[] = [];
  readonly #name: string;
  readonly #context: WorkerContext;
  readonly #fault: Fault;
  readonly #ms: number;
  readonly #workers: WorkerProcess<'soak'>[] = [];
  #killed: WorkerProcess<'soak'> | undefined;

  constructor(name: string, context: WorkerContext, fault: Fault, soakMs: Profile['soakMs']) {
    this.#name = name;
    this.#context = context;
    this.#fault = fault;
    this.#ms = fault.outage ? soakMs.outage : soakMs.brief;
  }

  add(): void {
    const { scratchDir, casesUrl, environment } = this.#context;
    const processIndex = this.paths.length;
    const path = join(scratchDir, `soak-${processIndex}`);
    const subject = { casesUrl, name: this.#name, environment: { ...environment, processIndex } };
    const request = { path, ms: this.#ms, ...(this.#fault.clockBack && { clockBackAfterMs: CALM_MS }) };
    const worker = new WorkerProcess<'soak'>({ kind: 'soak', request, subject }, this.#context);
    this.paths.push(path);
    this.#workers.push(worker);
    void worker.ready.then(() => worker.go());
  }

  async started(): Promise<void> {
    await Promise.race([
      Promise.all(this.#workers.map(({ ready }) => ready)),
      // Whoever fails before all are ready ends the wait.
      Promise.all(this.#workers.map(({ answer }) => answer)),
    ]);
  }

  replaceFirst(): void {
    this.#killed = this.#workers[0];
    this.#killed?.kill();
    this.add();
  }

  /** What the processes say that were left to live. */
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

/** `times` and the harm's start and end are milliseconds on one clock. */
export function timelineOf(
  times: readonly number[],
  struck: { readonly from: number; readonly to: number },
): Timeline | undefined {
  if (times.length === 0) return undefined;
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
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
