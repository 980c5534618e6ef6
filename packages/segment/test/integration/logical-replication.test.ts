import { dumpTable, type PostgresServer, startPostgres } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  missingSchema,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { openDatabase, openPool } from './sql-database.js';

const SKIP = 1_000;

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres({
    // How long the server waits before it starts a worker of a subscription.
    settings: { wal_level: 'logical', wal_retrieve_retry_interval: '100ms' },
  });
});

afterAll(() => server?.close());

interface Replicated {
  readonly publisher: pg.Pool;
  readonly subscriber: pg.Pool;
  /** Resolves once the subscriber has applied what the publisher has now, or has stopped with an error. */
  readonly untilApplied: () => Promise<void>;
  /** How often the subscription stopped. */
  readonly stops: () => Promise<number>;
}

async function rowsOf(pool: pg.Pool, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await pool.query(sql)).rows;
}

/** A table with the sequence `order`, up to 100, and a subscription to it in another database. */
async function openReplicated(): Promise<Replicated> {
  const urls = [await server.createDatabase(), await server.createDatabase()] as const;
  const publisher = openPool({ connectionString: urls[0] });
  const subscriber = openPool({ connectionString: urls[1] });
  const name = new URL(urls[1]).pathname.slice(1).toLowerCase();
  await ensureSchema(fromPg(publisher));
  await createSequence(fromPg(publisher), 'order');
  await new SqlSegmentSource(fromPg(publisher)).reserve('order', 100);
  await publisher.query('CREATE PUBLICATION ids FOR TABLE id_segment');
  // Two databases of one server: a slot that the subscription creates would wait for itself.
  await publisher.query(`SELECT pg_create_logical_replication_slot('${name}', 'pgoutput')`);
  await ensureSchema(fromPg(subscriber));
  await subscriber.query(
    `CREATE SUBSCRIPTION ${name} CONNECTION '${urls[0]}' PUBLICATION ids WITH (create_slot = false)`,
  );
  onTestFinished(async () => {
    await subscriber.query(`ALTER SUBSCRIPTION ${name} DISABLE`);
    await subscriber.query(`DROP SUBSCRIPTION ${name}`);
  });
  const stops = async () =>
    Number(
      (
        await rowsOf(
          subscriber,
          `SELECT apply_error_count AS n FROM pg_stat_subscription_stats WHERE subname = '${name}'`,
        )
      )[0]?.n,
    );
  const untilApplied = async () => {
    const before = await stops();
    const maxId = 'SELECT max_id FROM id_segment';
    const target = (await rowsOf(publisher, maxId))[0]?.max_id;
    while ((await rowsOf(subscriber, maxId))[0]?.max_id !== target && (await stops()) === before);
  };
  await untilApplied();
  return { publisher, subscriber, untilApplied, stops };
}

/** Each segment from a process of its own, which has seen nothing. */
async function reserve(pool: pg.Pool, segments: number): Promise<number[]> {
  const lows: number[] = [];
  for (let i = 0; i < segments; i++) {
    const source = new SqlSegmentSource(fromPg(pool), { afterRestore: SKIP });
    lows.push((await source.reserve('order', 10)).low);
  }
  return lows;
}

/** After a logical switch-over, an old process reserves once more on the publisher. */
async function switchOver({ publisher, subscriber, untilApplied }: Replicated): Promise<number[]> {
  const before = await reserve(subscriber, 20);
  await injectFault(async () => {
    await reserve(publisher, 1);
    await untilApplied();
  });
  return [...before, ...(await reserve(subscriber, 20))];
}

describe('a subscription that writes a lower max_id', () => {
  faultTest('stops, and nothing is repeated', async () => {
    const replicated = await openReplicated();
    const lows = await switchOver(replicated);
    expect(new Set(lows).size).toBe(lows.length);
    expect(await replicated.stops()).toBeGreaterThan(0);
  });

  faultTest('repeats ids where the guard is in the mode in which triggers are created', async () => {
    const replicated = await openReplicated();
    await replicated.subscriber.query('ALTER TABLE id_segment ENABLE TRIGGER USER');
    const lows = await switchOver(replicated);
    expect(new Set(lows).size).toBeLessThan(lows.length);
  });

  faultTest('may go on as long as it raises it, and its rows are those of a restore', async () => {
    const { publisher, subscriber, untilApplied, stops } = await openReplicated();
    await injectFault(async () => {
      await reserve(publisher, 5);
      await untilApplied();
    });
    const segment = await new SqlSegmentSource(fromPg(subscriber), { afterRestore: SKIP }).reserve(
      'order',
      10,
    );
    expect(segment).toMatchObject({
      low: 151 + SKIP,
      high: 160 + SKIP,
      newReign: { cause: 'restore', skipped: SKIP },
    });
    expect(await stops()).toBe(0);
  });
});

/** Runs `act` as an apply worker would: triggers that are not ALWAYS do not fire. */
async function asReplica(pool: pg.Pool, sql: string): Promise<void> {
  await pool
    .query(`BEGIN; SET LOCAL session_replication_role = replica; ${sql}; COMMIT`)
    .catch(async (error) => {
      await pool.query('ROLLBACK');
      throw error;
    });
}

describe('the triggers of the table', () => {
  it.each([
    ['UPDATE', (t: string) => `UPDATE ${t} SET max_id = 50`],
    ['DELETE', (t: string) => `DELETE FROM ${t}`],
    ['TRUNCATE', (t: string) => `TRUNCATE ${t}`],
  ])('refuse what a subscription writes: %s', async (what, sql) => {
    const { executor, table } = await openDatabase();
    const pool = openPool({ max: 1 });
    await createSequence(executor, 'order', { table, startAfter: 100 });
    await expect(asReplica(pool, sql(table))).rejects.toThrow(`${what} on id_segment rejected`);
    await pool.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    await asReplica(pool, sql(table));
  });

  it('do not let what a subscription writes look like a reservation', async () => {
    const { pool, executor, table } = await openDatabase();
    const single = openPool({ max: 1 });
    await createSequence(executor, 'order', { table });
    const reserveOne = () =>
      new SqlSegmentSource(executor, { table, afterRestore: SKIP }).reserve('order', 1);
    await reserveOne();
    await asReplica(single, `UPDATE ${table} SET max_id = max_id + 5`);
    expect(await reserveOne()).toMatchObject({ newReign: { cause: 'restore' } });
    await pool.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER id_segment_reign`);
    await asReplica(single, `UPDATE ${table} SET max_id = max_id + 5`);
    expect(await reserveOne()).not.toHaveProperty('newReign');
  });

  it.each([
    ['the guard fires for sessions only', 'ENABLE TRIGGER USER'],
    ['the reign is written for subscriptions, too', 'ENABLE ALWAYS TRIGGER id_segment_reign'],
  ])('are mended by ensureSchema where %s, of which describe warns', async (_what, change) => {
    const { pool, executor, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const warnings = async () =>
      (await new SqlSegmentSource(executor, { table }).describe('order')).warnings?.join() ?? '';
    await pool.query(`ALTER TABLE ${table} ${change}`);
    expect(await warnings()).toMatch(/subscription.*run ensureSchema/);
    expect(await missingSchema(executor, { table })).toEqual(['guards']);
    await ensureSchema(executor, { table });
    expect(await warnings()).not.toMatch(/subscription/);
    expect(await missingSchema(executor, { table })).toEqual([]);
  });

  faultTest(
    'fire for sessions only after a restore with --disable-triggers, until ensureSchema',
    async () => {
      const { executor, table } = await openDatabase();
      await createSequence(executor, 'order', { table });
      const dump = await dumpTable(inject('databaseUrl'), table);
      await injectFault(() => dump.restoreTo(inject('databaseUrl')));
      expect(await missingSchema(executor, { table })).toEqual(['guards']);
      await ensureSchema(executor, { table });
      expect(await missingSchema(executor, { table })).toEqual([]);
    },
  );
});
