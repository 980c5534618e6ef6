import { randomUUID } from 'node:crypto';
import { startPostgres } from '@ids/local-services';
import { fromPgUrl } from '@ids/segment/sql';
import type { StrategyCase } from '../../cases/case.js';
import { selectCases } from '../../cases/select.js';
import type { IndexCost, IndexCosts } from '../../schema/run.js';
import { runWorkers, type WorkerContext, WorkerError } from '../../worker/workers.js';
import { orderJob } from '../order/record.js';
import { type RunOptions, runSession, type SessionFacts } from '../session.js';
import { type CaseStep, failuresOf, type Phase, WorkRecord } from '../steps.js';
import { BIGSERIAL, insertIds, type Load, shapesOf, UUID_V4, UUID_V7 } from './insert.js';

/** Small on purpose: the index outgrows memory after thousands of rows instead of millions. */
const SHARED_BUFFERS = '1MB';
const CONCURRENCY = 8;
const SECONDS_PER_ROW = 40e-6;

/**
 * Inserts real ids, recorded from several processes at once, into a separate Postgres. Rejects with a
 * `UsageError` for an unknown name.
 */
export async function runIndex(
  options: RunOptions,
): Promise<SessionFacts & { readonly indexCosts: IndexCosts; readonly problems: readonly string[] }> {
  const { list, only, profile, processes, seed, view, signal } = options;
  const rows = profile.indexRows;
  const records = selectCases(list.cases, only)
    .filter((one) => one.kind === 'strategy')
    .map((strategy) => new WorkRecord<StrategyCase>(strategy));
  const inserting = new WorkRecord({ name: 'all shapes', backends: [] });
  const loads: Load[] = [];
  let costs: IndexCost[] = [];
  const recording = records.map(
    (record): CaseStep => ({
      phase: 'recording ids',
      name: record.name,
      seconds: 3,
      record,
      async run(context) {
        const { name, guarantees } = record.benchCase;
        const ids = await recordIds(name, rows, processes, context);
        const shapes = shapesOf(name, guarantees);
        loads.push(...shapes.map((shape) => ({ shape, ids })));
      },
    }),
  );
  const insert: CaseStep = {
    phase: 'inserting',
    name: `${rows.toLocaleString('en')} rows each`,
    seconds: 5 + (records.length + 3) * rows * SECONDS_PER_ROW,
    record: inserting,
    async run() {
      costs = await inOwnPostgres(async () => [...(await controls(rows)), ...loads], seed);
    },
  };
  const phases: Phase[] = [
    { title: 'index cost', timeoutMs: profile.timeoutMs.uniqueness, steps: [...recording, insert] },
  ];
  const all = [...records, inserting];
  const facts = await runSession({ casesUrl: list.url, records: all, phases, view, signal });
  return { ...facts, indexCosts: { sharedBuffers: SHARED_BUFFERS, costs }, problems: failuresOf(all) };
}

/**
 * The ids of all processes, by the time at which each was issued: the order in which services insert them.
 */
async function recordIds(
  name: string,
  rows: number,
  processes: number,
  context: WorkerContext,
): Promise<string[]> {
  const request = {
    count: Math.ceil(rows / processes),
    windowMs: 1_000,
    concurrency: CONCURRENCY,
    epoch: process.hrtime.bigint(),
  };
  const requests = Array.from({ length: processes }, () => request);
  const traces = await runWorkers(orderJob, requests, name, context);
  return traces
    .flatMap(({ ids, completed }) => ids.map((id, i) => ({ id: String(id), at: completed[i] as number })))
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id);
}

async function controls(rows: number): Promise<Load[]> {
  const { v7 } = await import('uuid');
  const times = (make: () => string) => Array.from({ length: rows }, make);
  return [
    { shape: BIGSERIAL, ids: times(() => '') },
    { shape: UUID_V7, ids: times(() => v7()) },
    { shape: UUID_V4, ids: times(() => randomUUID()) },
  ];
}

async function inOwnPostgres(loadsOf: () => Promise<Load[]>, seed: number): Promise<IndexCost[]> {
  const postgres = await startPostgres({ settings: { shared_buffers: SHARED_BUFFERS } }).catch((error) => {
    throw new WorkerError((error as Error).message);
  });
  try {
    const executor = await fromPgUrl(postgres.url, { max: 1 });
    try {
      return await insertIds(executor, await loadsOf(), seed);
    } finally {
      await executor.close();
    }
  } finally {
    await postgres.close();
  }
}
