import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type FaultProxy, openPostgresPool, startFaultProxy, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import type pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import { startIssuing } from '../support/start-issuing.js';
import { type Context, createContext } from '../support/subject.js';

const KILLS = process.env.IDS_FULL === '1' ? 50 : 8;
const BOUNDS = { minStep: 2, maxStep: 1_000_000, maxIdsLost: 15 };

const title = `repeats nothing, and burns no more than may be lost, when it is killed in mid-refill ${KILLS} times`;

async function killInRefill(): Promise<void> {
  const url = inject('databaseUrl');
  const context = await createContext(url, uniqueName('killed'), 'number');
  const { hostname: host, port } = new URL(url);
  const proxy = await startFaultProxy({ target: { host, port: Number(port || 5432) } });
  const pool = openPostgresPool(url);
  onTestFinished(async () => {
    await proxy.close();
    await pool.end();
  });
  const faults = [
    () => killBeforeTheCommit(context, proxy, pool),
    () => killBeforeTheAnswer(context, proxy, pool),
  ];
  let last = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const ids = (await faults[kill % 2]?.()) ?? [];
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
    const burnt = (ids[0] ?? 0) - last - 1;
    // The kill before burnt the segment that was on its way, of two ids at least.
    expect(burnt).toBeGreaterThanOrEqual(kill === 0 ? 0 : 2);
    // One more, which was given and not printed any more.
    expect(burnt).toBeLessThanOrEqual(BOUNDS.maxIdsLost + 1);
    last = ids.at(-1) ?? 0;
  }
}

faultTest(title, killInRefill);

/** Its UPDATE waits for a row that somebody else holds, and is committed after its process is gone. */
async function killBeforeTheCommit(context: Context<'number'>, proxy: FaultProxy, pool: pg.Pool) {
  const child = startPrinting(context, proxy);
  await child.printed();
  const other = await pool.connect();
  try {
    await injectFault(async () => {
      await other.query('BEGIN');
      await other.query(`SELECT 1 FROM ${context.table} WHERE server_name = $1 FOR UPDATE`, [context.name]);
    });
    const waits = async () => (await waitingFor(pool, context.table)) > 0;
    await felt('a refill that waits for the lock', waits, child.printed(10 * BOUNDS.maxIdsLost));
    await injectFault(() => child.kill());
    await other.query('ROLLBACK');
  } finally {
    other.release();
  }
  while ((await waitingFor(pool, context.table)) > 0);
  return child.ids;
}

/** Its UPDATE is committed, and the answer never arrives. */
async function killBeforeTheAnswer(context: Context<'number'>, proxy: FaultProxy, pool: pg.Pool) {
  const child = startPrinting(context, proxy);
  await child.printed();
  const before = await maxId(pool, context);
  await injectFault(async () => {
    await proxy.setMode('swallow-replies');
    while ((await maxId(pool, context)) === before);
    await child.kill();
    await proxy.setMode('pass');
  });
  return child.ids;
}

/** A process that prints ids until it is killed; `ids` holds all of them after that. */
function startPrinting(context: Context<'number'>, proxy: FaultProxy) {
  const options = { ...context, ...BOUNDS, database: proxy.url(context.database) };
  const child = startIssuing({ options, ids: 'until killed' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ids: number[] = [];
  if (child.stdout === null) throw new Error('its output is piped');
  const lines = createInterface(child.stdout).on('line', (line) => ids.push(Number(line)));
  return {
    ids,
    /** Resolves when it has printed so many more ids. */
    printed: async (count = 1) => {
      const goal = ids.length + count;
      while (ids.length < goal) await once(lines, 'line');
    },
    kill: async () => {
      child.kill('SIGKILL');
      await Promise.all([once(child, 'exit'), once(lines, 'close')]);
    },
  };
}

async function waitingFor(pool: pg.Pool, table: string): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1`;
  const { rows } = await pool.query(sql, [`%UPDATE%${table}%`]);
  return rows[0].n;
}

async function maxId(pool: pg.Pool, { table, name }: Context): Promise<number> {
  const { rows } = await pool.query(`SELECT max_id FROM ${table} WHERE server_name = $1`, [name]);
  return Number(rows[0].max_id);
}
