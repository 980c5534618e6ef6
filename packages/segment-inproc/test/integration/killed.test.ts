import { startProcesses } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { ensureSchema, fromPg, whoIssued } from '@ids/segment/sql';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);
const database = inject('databaseUrl');
/** Processes are killed together, `processes` of them in each round. */
const { rounds, processes } = process.env.IDS_FULL
  ? { rounds: 10, processes: 5 }
  : { rounds: 2, processes: 3 };

function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: database, max: 2 });
  onTestFinished(() => pool.end());
  return pool;
}

/** How many statements on `table` wait for a lock. */
async function waitingFor(pool: pg.Pool, table: string): Promise<number> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
  return (await pool.query(waiting, [table])).rowCount ?? 0;
}

async function lockRow(pool: pg.Pool, table: string): Promise<() => Promise<void>> {
  const locker = await pool.connect();
  await locker.query('BEGIN');
  await locker.query(`SELECT FROM ${table} FOR UPDATE`);
  return async () => {
    await locker.query('ROLLBACK');
    locker.release();
  };
}

it(`segment-inproc repeats no id when its processes are killed in the middle of a refill, ${rounds * processes} times`, {
  timeout: 240_000,
}, async () => {
  const pool = openPool();
  const context = await createContext(database, uniqueName('killed'), 'number');
  const issued: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const run = await startProcesses({ module, context, processes, callers: 4 });
    await run.issued(processes * 200);
    const unlock = await lockRow(pool, context.table);
    while ((await waitingFor(pool, context.table)) < processes);
    for (let number = 1; number <= processes; number++) run.kill(number, 'SIGKILL');
    const { records } = await run.stop();
    // Only now the server goes on: it commits reservations whose processes are dead.
    await unlock();
    while ((await waitingFor(pool, context.table)) > 0);
    const ids = records.flatMap((record) => record.ids.map(Number));
    expect(Math.min(...ids)).toBeGreaterThan(Math.max(0, ...issued));
    issued.push(...ids);
  }
  expect(new Set(issued).size).toBe(issued.length);
  expect(issued.length).toBeGreaterThanOrEqual(rounds * processes * 200);
});

it('segment-inproc gives callers up at their deadline while its row is locked, and goes on once it is free', async () => {
  const pool = openPool();
  const { table, name } = await createContext(database, uniqueName('locked'), 'number');
  const options = { database, table, name, minStep: 10, maxStep: 10, deadlineMs: 300 } as const;
  await using generator = await createSegmentGenerator(options);
  const ids = await generator.nextBatch(10);
  const unlock = await lockRow(pool, table);
  // The segment that was fetched ahead may be here or be locked out.
  for (;;) {
    const error = await generator.next().then(
      (id) => void ids.push(id),
      (reason: unknown) => reason,
    );
    if (error === undefined) continue;
    expect(error).toMatchObject({ code: 'ERR_IDS_TIMEOUT', retryable: true });
    break;
  }
  expect(generator.health()).toMatchObject({ status: 'down', remaining: 0 });
  await unlock();
  for (let later: number | undefined; later === undefined; ) {
    later = await generator.next().catch(() => undefined);
    if (later !== undefined) ids.push(later);
  }
  ids.push(...(await generator.nextBatch(50)));
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
});

it('segment-inproc writes down who drew its segments', async () => {
  const pool = openPool();
  const { table, name } = await createContext(database, uniqueName('logged'), 'number');
  const options = {
    database,
    table,
    name,
    log: true,
    owner: 'gpid 10.0.0.7:8888:1307761900123456:4711',
  } as const;
  await expect(createSegmentGenerator(options)).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringContaining('ensureSchema({ log: true })'),
  });
  await ensureSchema(fromPg(pool), { table, log: true });
  await using generator = await createSegmentGenerator(options);
  const id = await generator.next();
  expect(await whoIssued(fromPg(pool), name, id, { table })).toMatchObject({
    status: 'granted',
    grants: [{ low: 1, high: 1_000, owner: options.owner }],
  });
});
