import { randomBytes, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortable } from '@ids/core';
import type { Backend, CaseList } from '../bench-case.js';
import type { Profile } from '../profile.js';
import { Progress, type ProgressView } from '../progress/progress.js';
import type { BenchResult } from '../result.js';
import { type Backends, startBackends } from './backends.js';
import { type BenchRun, runPhase } from './bench-run.js';
import { CaseRecord } from './case-record.js';
import { describeEnvironment, load } from './environment.js';
import { findProblems } from './find-problems.js';
import { orderPhase } from './order-phase.js';
import { selectCases } from './select-cases.js';
import { summarise } from './summarise.js';
import { loopPhase, syncPhase } from './trial-phases.js';
import { uniquenessPhase } from './uniqueness-phase.js';

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
  const progress = new Progress(view);
  const seed = randomInt(2 ** 32);
  let versions = {};
  let incomplete = false;
  const scratchDir = await mkdtemp(join(tmpdir(), 'ids-bench-'));
  let backends: Backends | undefined;
  try {
    backends = await openBackends(records, progress, signal);
    versions = backends.versions;
    const environment = { runId: randomBytes(6).toString('hex'), ...backends.urls };
    const workers = { casesUrl: list.url, environment, scratchDir, signal };
    await measure({ profile, processes, records, progress, workers });
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
    environment: await describeEnvironment(loadBefore, versions),
    cases,
    problems: findProblems(cases),
  };
}

async function openBackends(
  records: readonly CaseRecord[],
  progress: Progress,
  signal: AbortSignal,
): Promise<Backends> {
  const wanted = new Set<Backend>(records.flatMap(({ benchCase }) => benchCase.backends));
  const step = { phase: 'starting', name: [...wanted].join(' and ') || 'nothing', seconds: wanted.size * 2 };
  progress.plan([step]);
  const starting = startBackends(wanted);
  try {
    const backends = await progress.run(step, () => abortable(starting, signal));
    for (const record of records) {
      for (const backend of record.benchCase.backends) {
        const why = backends.missing.get(backend);
        if (why !== undefined) record.stop('skipped', why);
      }
    }
    return backends;
  } catch (error) {
    // Servers that come up after the run was stopped end with this process; those that are up already need not wait for that.
    starting.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

async function measure(run: BenchRun): Promise<void> {
  const { progress, workers } = run;
  const environment = { ...workers.environment, processIndex: 0 };
  const present = run.records.filter(({ sound }) => sound);
  try {
    await forEach(present, 'preparing', ({ benchCase }) => benchCase.prepare?.(environment));
    const prepared = { ...run, records: present.filter(({ sound }) => sound) };
    const phases = [syncPhase, loopPhase, uniquenessPhase, orderPhase].map((phase) => phase(prepared));
    progress.plan(phases.flatMap(({ steps }) => steps));
    for (const phase of phases) await runPhase(prepared, phase);
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
