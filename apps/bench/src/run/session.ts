import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortable } from '@ids/core/strategy';
import type { Backend } from '../bench-case.js';
import { Progress, type ProgressView, type Step } from '../progress/progress.js';
import type { Environment } from '../result.js';
import { type Backends, startBackends } from './backends.js';
import { type BenchRun, type Phase, runPhase } from './bench-run.js';
import { describeEnvironment, load } from './environment.js';
import { IdleLoad, tooBusy } from './idle-load.js';
import type { WorkRecord } from './work-record.js';

const SERVERS: Readonly<Record<Backend, string>> = { redis: 'Redis', sql: 'Postgres' };

/** For making and removing what a case needs in its backends. */
const BACKEND_TIMEOUT_MS = 10_000;

export interface SessionOptions {
  /** The module that workers import to find what they open. */
  readonly casesUrl: string;
  readonly records: readonly WorkRecord[];
  readonly phases: readonly Phase[];
  readonly view: ProgressView;
  /** Stops the session: every process and server ends. */
  readonly signal: AbortSignal;
}

/** Where and when something was measured. */
export interface SessionFacts {
  /** It was stopped before its last step. */
  readonly incomplete: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly environment: Environment;
  /** Why the figures mean nothing. */
  readonly notComparable?: string;
}

/** Starts the servers that the records need, runs the phases and leaves nothing behind. */
export async function runSession(options: SessionOptions): Promise<SessionFacts> {
  const { casesUrl, records, phases, view, signal } = options;
  const startedAt = new Date();
  const loadBefore = load();
  const idleLoad = new IdleLoad();
  const progress = new Progress(view);
  const scratchDir = await mkdtemp(join(tmpdir(), 'ids-bench-'));
  let incomplete = false;
  let backends: Backends | undefined;
  try {
    const starting = startingSteps(records);
    progress.plan([...starting, ...phases.flatMap(({ steps }) => steps)]);
    backends = await openBackends(records, starting, progress, signal);
    const environment = { runId: randomBytes(6).toString('hex'), ...backends.urls };
    const workers = { casesUrl, environment, scratchDir, signal };
    await measure(records, phases, { progress, workers, idleLoad });
  } catch (error) {
    if (!signal.aborted) throw error;
    incomplete = true;
    for (const record of records) record.stop('unfinished', 'the run was stopped');
  } finally {
    progress.end();
    await backends?.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
  const notComparable = tooBusy(idleLoad.cores(), availableParallelism());
  return {
    incomplete,
    ...(notComparable !== undefined && { notComparable }),
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
    environment: await describeEnvironment(
      { before: loadBefore, others: idleLoad.cores() },
      backends?.versions ?? {},
    ),
  };
}

function wantedBackends(records: readonly WorkRecord[]): ReadonlySet<Backend> {
  return new Set(records.flatMap(({ benchCase }) => benchCase.backends));
}

/** None where no case needs a backend. */
function startingSteps(records: readonly WorkRecord[]): Step[] {
  const names = [...wantedBackends(records)].map((backend) => SERVERS[backend]);
  return names.length === 0 ? [] : [{ phase: 'starting', name: names.join(' and '), seconds: 4 }];
}

async function openBackends(
  records: readonly WorkRecord[],
  steps: readonly Step[],
  progress: Progress,
  signal: AbortSignal,
): Promise<Backends> {
  const starting = startBackends(wantedBackends(records));
  try {
    for (const step of steps) await progress.run(step, () => abortable(starting, signal));
    const backends = await starting;
    for (const record of records) {
      for (const backend of record.benchCase.backends) {
        const why = backends.missing.get(backend);
        if (why !== undefined) record.stop('skipped', why);
      }
    }
    return backends;
  } catch (error) {
    // Servers that come up after the run was stopped end with this process; those already
    // up need not wait for that.
    starting.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

async function measure(
  records: readonly WorkRecord[],
  phases: readonly Phase[],
  run: BenchRun,
): Promise<void> {
  const environment = { ...run.workers.environment, processIndex: 0 };
  const present = records.filter(({ sound }) => sound);
  try {
    await forEach(present, 'preparing', ({ benchCase }) => benchCase.prepare?.(environment));
    for (const phase of phases) await runPhase(run, phase);
  } finally {
    await forEach(present, 'cleaning up', ({ benchCase }) => benchCase.cleanUp?.(environment));
  }
}

/** One after the other; what goes wrong with one, or takes too long, is its own trouble. */
async function forEach(
  records: readonly WorkRecord[],
  what: string,
  work: (record: WorkRecord) => Promise<void> | undefined,
): Promise<void> {
  for (const record of records) {
    try {
      await abortable(Promise.resolve(work(record)), AbortSignal.timeout(BACKEND_TIMEOUT_MS));
    } catch (error) {
      record.stop('failed', `${what}: ${(error as Error).message}`);
    }
  }
}
