import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { abortable } from '@ids/core/strategy';
import { type LocalServicesOptions, startLocalServices } from '@ids/local-services';
import type { Backend, CaseEnvironment, CaseList } from '../cases/case.js';
import { UsageError } from '../cases/select.js';
import type { Environment, Profile } from '../schema/run.js';
import { describeEnvironment, IdleLoad, load, tooBusy } from './machine.js';
import { Progress, type ProgressView, type Step } from './progress.js';
import { type Phase, runPhase, type Session, type WorkRecord } from './steps.js';

const SERVERS: Readonly<Record<Backend, string>> = { redis: 'Redis', sql: 'Postgres' };

/** Name the servers of the user. */
const VARIABLES: Readonly<Record<Backend, string>> = { redis: 'REDIS_URL', sql: 'DATABASE_URL' };

/** For creating and removing what a case needs in its backends. */
const BACKEND_TIMEOUT_MS = 10_000;

/** The options of every command that measures. */
export interface RunOptions {
  readonly list: CaseList;
  /** Names of strategies; all by default. */
  readonly only?: readonly string[];
  readonly profile: Profile;
  /** Processes that issue ids at the same time for uniqueness and order. */
  readonly processes: number;
  /** Of the bootstrap. */
  readonly seed: number;
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
export interface SessionFacts {
  /** The session was stopped before its last step. */
  readonly incomplete: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seconds: number;
  readonly environment: Environment;
  /** Why the figures mean nothing; absent if they can be compared. */
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
      backends?.servers ?? {},
    ),
  };
}

function wantedBackends(records: readonly WorkRecord[]): ReadonlySet<Backend> {
  return new Set(records.flatMap(({ benchCase }) => benchCase.backends));
}

/** None if no case needs a backend. */
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
    // Servers that start after the run was stopped end with this process; stop those that have started.
    starting.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

async function measure(
  records: readonly WorkRecord[],
  phases: readonly Phase[],
  run: Session,
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

/** One after the other; an error or a timeout stops only the record that it belongs to. */
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

interface Backends {
  readonly urls: Pick<CaseEnvironment, 'redisUrl' | 'databaseUrl'>;
  readonly servers: Pick<Environment, 'redis' | 'postgres' | 'byUrl'>;
  /** Why a backend is not available. */
  readonly missing: ReadonlyMap<Backend, string>;
  /** Stops the servers that were started here. */
  close(): Promise<void>;
}

/**
 * The servers to measure: the user's if a variable names one, otherwise servers of our own. One of our own
 * can fail without the other; one of the user's that does not answer is a `UsageError`.
 */
async function startBackends(wanted: ReadonlySet<Backend>): Promise<Backends> {
  const missing = new Map<Backend, string>();
  const refused: string[] = [];
  async function start<const Options extends LocalServicesOptions>(backend: Backend, options: Options) {
    if (!wanted.has(backend)) return undefined;
    try {
      return await startLocalServices(options);
    } catch (error) {
      const { message } = error as Error;
      if (process.env[VARIABLES[backend]]) refused.push(message);
      else missing.set(backend, message);
      return undefined;
    }
  }
  const [redis, postgres] = await Promise.all([
    start('redis', { redis: true, postgres: false }),
    start('sql', { redis: false, postgres: true }),
  ]);
  if (refused.length > 0) {
    await Promise.all([redis?.close(), postgres?.close()]);
    throw new UsageError(refused.join('\n'));
  }
  const byUrl: Backend[] = [];
  if (redis !== undefined && redis.redis === undefined) byUrl.push('redis');
  if (postgres !== undefined && postgres.postgres === undefined) byUrl.push('sql');
  return {
    urls: {
      ...(redis && { redisUrl: redis.redisUrl }),
      ...(postgres && { databaseUrl: postgres.databaseUrl }),
    },
    servers: { ...redis?.versions, ...postgres?.versions, ...(byUrl.length > 0 && { byUrl }) },
    missing,
    async close() {
      await Promise.all([redis?.close(), postgres?.close()]);
    },
  };
}
