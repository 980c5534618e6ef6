import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortable } from '@ids/core';
import type { Backend, CaseList } from '../bench-case.js';
import type { Profile } from '../profile.js';
import { Progress, type ProgressView, type Step } from '../progress/progress.js';
import type { BenchResult } from '../result.js';
import { type Backends, startBackends } from './backends.js';
import { type BenchRun, type Phase, runPhase } from './bench-run.js';
import { CaseRecord } from './case-record.js';
import { describeEnvironment, load } from './environment.js';
import { findProblems } from './find-problems.js';
import { orderPhase } from './order-phase.js';
import { selectCases } from './select-cases.js';
import { summarise } from './summarise.js';
import { loopPhase, syncPhase } from './trial-phases.js';
import { uniquenessPhase } from './uniqueness-phase.js';

const SERVERS: Readonly<Record<Backend, string>> = { redis: 'Redis', sql: 'Postgres' };

/** For making and removing what a case needs in its backends. */
const BACKEND_TIMEOUT_MS = 10_000;

export interface BenchOptions {
  readonly list: CaseList;
  /** Names of strategies; all by default. */
  readonly only?: readonly string[];
  readonly profile: Profile;
  /** Processes that issue ids at the same time when uniqueness and order are looked at. */
  readonly processes: number;
  readonly view: ProgressView;
  /** Stops the run: every process and server ends, and the result holds what was measured until then. */
  readonly signal: AbortSignal;
}

/** Measures everything and cleans up. Rejects with a `UsageError` for an unknown name, before anything is started. */
export async function runBench(options: BenchOptions): Promise<BenchResult> {
  const { list, only, profile, processes, view, signal } = options;
  const records = selectCases(list.cases, only).map((benchCase) => new CaseRecord(benchCase));
  const startedAt = new Date();
  const loadBefore = load();
  const seed = randomInt(2 ** 32);
  const progress = new Progress(view);
  const plan = { profile, processes, records };
  const phases = [syncPhase, loopPhase, uniquenessPhase, orderPhase].map((phase) => phase(plan));
  const scratchDir = await mkdtemp(join(tmpdir(), 'ids-bench-'));
  let incomplete = false;
  let backends: Backends | undefined;
  try {
    const starting = startingSteps(records);
    progress.plan([...starting, ...phases.flatMap(({ steps }) => steps)]);
    backends = await openBackends(records, starting, progress, signal);
    const environment = { runId: randomBytes(6).toString('hex'), ...backends.urls };
    const workers = { casesUrl: list.url, environment, scratchDir, signal };
    await measure(records, phases, { progress, workers });
  } catch (error) {
    if (!signal.aborted) throw error;
    incomplete = true;
    for (const record of records) record.stop('unfinished', 'the run was stopped');
  } finally {
    progress.end();
    await backends?.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
  const cases = summarise(records, seed);
  return {
    schemaVersion: 1,
    incomplete,
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
    profile,
    processes,
    seed,
    environment: await describeEnvironment(loadBefore, backends?.versions ?? {}),
    cases,
    problems: findProblems(cases),
  };
}

function wantedBackends(records: readonly CaseRecord[]): ReadonlySet<Backend> {
  return new Set(records.flatMap(({ benchCase }) => benchCase.backends));
}

/** None where no case needs a backend. */
function startingSteps(records: readonly CaseRecord[]): Step[] {
  const names = [...wantedBackends(records)].map((backend) => SERVERS[backend]);
  return names.length === 0 ? [] : [{ phase: 'starting', name: names.join(' and '), seconds: 4 }];
}

async function openBackends(
  records: readonly CaseRecord[],
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
    // Servers that come up after the run was stopped end with this process; those already up need not wait for that.
    starting.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

async function measure(
  records: readonly CaseRecord[],
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
  records: readonly CaseRecord[],
  what: string,
  work: (record: CaseRecord) => Promise<void> | undefined,
): Promise<void> {
  for (const record of records) {
    try {
      await abortable(Promise.resolve(work(record)), AbortSignal.timeout(BACKEND_TIMEOUT_MS));
    } catch (error) {
      record.stop('failed', `${what}: ${(error as Error).message}`);
    }
  }
}
