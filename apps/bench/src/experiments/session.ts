import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortable } from '@ids/core/strategy';
import type { CaseEnvironment, CaseList } from '../cases/case.js';
import type { BenchResult } from '../schema/run.js';
import { type Backends, openBackends } from './backends.js';
import { describeEnvironment, IdleLoad, loadText, tooBusy } from './machine.js';
import type { Profile } from './profile.js';
import { type Phase, runPhase, type Step, type WorkRecord } from './steps.js';
import { TimeLeft } from './time-left.js';

/** For creating and removing what a case needs in its backends. */
const BACKEND_TIMEOUT_MS = 10_000;

export interface ProgressState extends Step {
  /** From 1. */
  readonly step: number;
  readonly steps: number;
  /** Milliseconds that the rest of the run will take, as far as that is known now. */
  readonly leftMs: number;
}

/** Shows what a run is doing; without a state, the run has ended. */
export type ProgressView = (state?: ProgressState) => void;

/** The options of every command that measures. */
export interface RunOptions {
  readonly list: CaseList;
  /** Names of strategies; all by default. */
  readonly only?: readonly string[];
  readonly profile: Profile;
  /** Processes that issue ids at the same time for uniqueness and order. */
  readonly processes: number;
  readonly view: ProgressView;
  /** Stops the run: every process and server ends, and the result holds what was measured until then. */
  readonly signal: AbortSignal;
}

interface SessionOptions extends Pick<RunOptions, 'view' | 'signal'> {
  /** The module from which workers import what they open. */
  readonly casesUrl: string;
  readonly records: readonly WorkRecord[];
  readonly phases: readonly Phase[];
}

/** Where and when something was measured. */
export type SessionFacts = Pick<
  BenchResult,
  'incomplete' | 'startedAt' | 'seconds' | 'environment' | 'notComparable'
>;

/** Starts the servers that the records need, runs the phases and leaves nothing behind. */
export async function runSession(options: SessionOptions): Promise<SessionFacts> {
  const { casesUrl, records, phases, view, signal } = options;
  const startedAt = new Date();
  const idleLoad = new IdleLoad();
  const scratchDir = await mkdtemp(join(tmpdir(), 'ids-bench-'));
  const steps = phases.reduce((sum, phase) => sum + phase.steps.length, 0);
  let step = 0;
  const cores = availableParallelism();
  // Before anything of its own runs.
  await idleLoad.watch();
  const timeLeft = new TimeLeft(phases, 1 + idleLoad.cores() / cores);
  const say = ({ phase, name }: Step) => view({ phase, name, step, steps, leftMs: timeLeft.ms });
  const show = (next: Step) => {
    step++;
    say(next);
  };
  let incomplete = false;
  let backends: Backends | undefined;
  try {
    say({ phase: 'machine', name: loadText(idleLoad.cores(), cores) });
    backends = await openBackends(records, signal, (name) => say({ phase: 'starting', name }));
    const environment = { runId: randomBytes(6).toString('hex'), ...backends.urls };
    const present = records.filter(({ sound }) => sound);
    try {
      await forEach(present, 'preparing', environment, ({ benchCase }) => benchCase.prepare);
      const session = { show, idleLoad, timeLeft, workers: { casesUrl, environment, scratchDir, signal } };
      for (const phase of phases) await runPhase(session, phase);
    } finally {
      await forEach(present, 'cleaning up', environment, ({ benchCase }) => benchCase.cleanUp);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    incomplete = true;
    for (const record of records) record.stop('unfinished', 'the run was stopped');
  } finally {
    view();
    await backends?.close();
    await rm(scratchDir, { recursive: true, force: true });
  }
  const otherCores = idleLoad.cores();
  const notComparable = tooBusy(otherCores, cores);
  return {
    incomplete,
    ...(notComparable !== undefined && { notComparable }),
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
    environment: await describeEnvironment(otherCores, backends?.servers ?? {}),
  };
}

/** One after the other; an error or a timeout stops only the record that it belongs to. */
async function forEach(
  records: readonly WorkRecord[],
  what: string,
  environment: Omit<CaseEnvironment, 'processIndex'>,
  workOf: (record: WorkRecord) => ((environment: CaseEnvironment) => Promise<void>) | undefined,
): Promise<void> {
  for (const record of records) {
    try {
      const work = workOf(record)?.({ ...environment, processIndex: 0 });
      await abortable(Promise.resolve(work), AbortSignal.timeout(BACKEND_TIMEOUT_MS));
    } catch (error) {
      record.stop('failed', `${what}: ${(error as Error).message}`);
    }
  }
}
