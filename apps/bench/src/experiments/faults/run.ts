import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres, startRedis } from '@ids/local-services';
import type { Backend, StrategyCase } from '../../cases/case.js';
import { selectCases } from '../../cases/select.js';
import type { FaultResult } from '../../schema/run.js';
import { type WorkerContext, WorkerProcess } from '../../worker/workers.js';
import { type RunOptions, runSession, type SessionFacts } from '../session.js';
import { type CaseStep, failuresOf, WorkRecord } from '../steps.js';
import { type Add, type Closable, type Fault, faults } from './faults.js';
import { readIssued, type SoakAnswer, type SoakRequest, soakJob } from './soak.js';

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
  const steps = strategies.flatMap((strategy) => {
    const concerning = faults.filter(({ concerns }) => !concerns || strategy.backends.includes(concerns));
    return concerning.map((fault): CaseStep => {
      const ms = fault.concerns ? profile.soakMs.outage : profile.soakMs.brief;
      // Each fault starts its own servers, so the session starts none; and a failure in one fault must not
      // skip the next.
      const { name, casesUrl } = strategy;
      const about = { fault: fault.name, what: fault.what, strategy: name };
      const record = new WorkRecord({ name, backends: [], ...(casesUrl && { casesUrl }) });
      const run = async (context: WorkerContext) => {
        try {
          results.push({ ...about, ...(await tryFault(fault, strategy, ms, context)) });
        } catch (error) {
          results.push({ ...about, ...NOTHING, failed: (error as Error).message });
          throw error;
        }
      };
      return { phase: fault.name, name, record, run };
    });
  });
  const records = steps.map(({ record }) => record);
  const stepMs = { work: SERVERS_MS, fixed: profile.soakMs.outage };
  const phase = { title: 'faults', timeoutMs: profile.timeoutMs.trial, stepMs, steps };
  const facts = await runSession({ casesUrl: list.url, records, phases: [phase], view, signal });
  return { ...facts, faults: results, problems: [...failuresOf(records), ...results.flatMap(problemsOf)] };
}

type About = Pick<FaultResult, 'fault' | 'what' | 'strategy'>;

const NOTHING = { ids: 0, duplicates: 0, withoutIdsMs: 0, errors: 0 };

function problemsOf({ strategy, fault, duplicates, ids, example }: FaultResult): string[] {
  if (duplicates === 0) return [];
  return [`${strategy}: ${fault}: ${duplicates} duplicates in ${ids} ids, such as ${example}`];
}

/** To start and stop the servers of a fault. */
const SERVERS_MS = 3_000;

const PROCESSES = 3;
/** Before the fault. */
const CALM_MS = 700;

/** Starts the servers of a fault, which the strategy uses while it strikes. */
async function tryFault(
  fault: Fault,
  strategy: StrategyCase,
  ms: number,
  context: WorkerContext,
): Promise<Omit<FaultResult, keyof About>> {
  const servers: Closable[] = [];
  const add: Add = (server) => {
    servers.push(server);
    return server;
  };
  try {
    const scene = await openScene(fault, strategy.backends, add).catch((error: Error) => error);
    if (scene instanceof Error) {
      return { ...NOTHING, skipped: scene.message };
    }
    return await soaked(scene, strategy, { ms, clockBack: fault.clockBack }, context);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** What the fault provides, and the other servers that the strategy needs. */
async function openScene(fault: Fault, backends: readonly Backend[], add: Add) {
  const play = await fault.open(add);
  const redis = backends.includes('redis') && play.redisUrl === undefined;
  const redisUrl = redis ? add(await startRedis()).url : play.redisUrl;
  const postgres = backends.includes('sql') ? add(await startPostgres()) : undefined;
  return {
    urls: { ...(redisUrl && { redisUrl }), ...(postgres && { databaseUrl: postgres.url }) },
    strike: (replaceOne: () => void) => play.strike({ postgres, replaceOne }),
  };
}

/** Lets processes request ids during a fault, and examines the ids that they got. */
async function soaked(
  { urls, strike }: Scene,
  strategy: StrategyCase,
  { ms, clockBack }: { readonly ms: number; readonly clockBack: true | undefined },
  context: WorkerContext,
): Promise<Omit<FaultResult, keyof About>> {
  const environment = { runId: context.environment.runId, ...urls };
  const paths: string[] = [];
  const workers: WorkerProcess<SoakRequest, SoakAnswer>[] = [];
  const clock = clockBack && { clockBackAfterMs: CALM_MS };
  const start = () => {
    const processIndex = paths.length;
    const path = join(context.scratchDir, `soak-${processIndex}`);
    const subject = { caseName: strategy.name, processIndex };
    const worker = new WorkerProcess(soakJob, { path, ms, ...clock }, subject, { ...context, environment });
    paths.push(path);
    workers.push(worker);
    void worker.ready.then(() => worker.go());
  };
  const answersOf = () => Promise.all(workers.map(({ answer }) => answer));
  let killed: Promise<unknown> | undefined;
  const replaceOne = () => {
    const first = workers.shift();
    first?.kill();
    // That it was killed is no failure.
    killed = first?.answer.catch(() => {});
    start();
  };
  try {
    await strategy.prepare?.({ ...environment, processIndex: 0 });
    for (let i = 0; i < PROCESSES; i++) start();
    // A failure before all are ready ends the wait.
    await Promise.race([Promise.all(workers.map(({ ready }) => ready)), answersOf()]);
    await delay(CALM_MS);
    await strike(replaceOne);
    const answers = await answersOf();
    await killed;
    const [firstError] = answers.flatMap((answer) => answer.firstError ?? []);
    return {
      ...(await readIssued(paths, answers)),
      errors: answers.reduce((sum, { errors }) => sum + errors, 0),
      ...(firstError !== undefined && { firstError }),
    };
  } finally {
    for (const worker of workers) worker.kill();
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}
