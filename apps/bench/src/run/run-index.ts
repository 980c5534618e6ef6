import { randomInt, randomUUID } from 'node:crypto';
import { startPostgres } from '@ids/local-services';
import { fromPgUrl } from '@ids/segment/sql';
import type { StrategyCase } from '../bench-case.js';
import { insertIds, type Load } from '../index-cost/insert-ids.js';
import { BIGSERIAL, type IndexCost, shapesOf, UUID_V4, UUID_V7 } from '../index-cost/shape.js';
import type { OrderTrace } from '../order/record-order.js';
import type { BenchResult } from '../result.js';
import { runWorkers, type WorkerContext } from '../worker/run-workers.js';
import { WorkerError } from '../worker/worker-process.js';
import type { CaseStep, Phase } from './bench-run.js';
import type { BenchOptions } from './run-bench.js';
import { selectCases } from './select-cases.js';
import { runSession } from './session.js';
import { WorkRecord } from './work-record.js';

/**
 * Small on purpose: so the index outgrows memory after thousands of rows rather than
 * millions, as big ones do.
 */
const SHARED_BUFFERS = '1MB';
const CONCURRENCY = 8;
const SECONDS_PER_ROW = 40e-6;

/**
 * Inserts real ids, recorded from several processes at once, into a Postgres of its own. Rejects with a
 * `UsageError` for an unknown name.
 */
export async function runIndex(options: Omit<BenchOptions, 'needs'>): Promise<BenchResult> {
  const { list, only, profile, processes, view, signal } = options;
  const seed = randomInt(2 ** 32);
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
        const shapes = shapesOf(name, guarantees.idType, guarantees.text.pattern);
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
  return {
    schemaVersion: 1,
    ...facts,
    profile,
    processes,
    seed,
    cases: [],
    advice: [],
    indexCosts: { sharedBuffers: SHARED_BUFFERS, costs },
    problems: all.flatMap(({ name, status, reason }) =>
      status === 'failed' || status === 'invalid' ? [`${name}: ${reason}`] : [],
    ),
  };
}

/** As they would be inserted: by the time at which each was given, of all processes together. */
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
  const traces: OrderTrace[] = await runWorkers('order', requests, name, context);
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
