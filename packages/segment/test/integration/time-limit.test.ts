import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { describe, expect } from 'vitest';
import { createSequence, ensureSchema, fromPg, SqlSegmentSource } from '../../src/sql/index.js';
import { openDatabase, openPool, untilLocked } from './sql-database.js';

const GIVEN_UP = {
  code: 'ERR_IDS_TIMEOUT',
  retryable: true,
  message: expect.stringMatching(/nothing was reserved/),
};

async function openSequence(log = false) {
  const { pool, executor, table } = await openDatabase();
  await ensureSchema(executor, { table, log });
  await createSequence(executor, 'order', { table });
  // With a connection for each of those that wait.
  const source = new SqlSegmentSource(fromPg(openPool({ max: 20 })), { table, log });
  await source.describe('order');
  const maxId = async (): Promise<number> => (await source.describe('order')).maxId;
  return { pool, table, source, maxId };
}

/** Holds what a statement locks until what it resolves with is called. */
async function holdLock(pool: pg.Pool, sql: string): Promise<() => Promise<void>> {
  const holder = await pool.connect();
  await holder.query(`BEGIN; ${sql}`);
  return async () => {
    await holder.query('COMMIT');
    holder.release();
  };
}

/**
 * Resolves once a statement that names `table` has waited for a lock since it arrived,
 * so many milliseconds ago.
 */
async function untilWaitsFor(pool: pg.Pool, table: string, ms: number): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0
    AND clock_timestamp() - xact_start > $2::int * interval '1 millisecond'`;
  const [schema] = table.split('.');
  while ((await pool.query(sql, [schema, ms])).rowCount === 0);
}

describe.each([false, true])('a reservation with a time limit, with a grant log: %s,', (log) => {
  faultTest('is given up by the server while the row is locked, and is not made later', async () => {
    const { pool, table, source, maxId } = await openSequence(log);
    const unlock = await injectFault(() => holdLock(pool, `SELECT FROM ${table} FOR UPDATE`));
    const waiting = [300, 600, 900].map((timeoutMs) => source.reserve('order', 10, { timeoutMs }));
    for (const each of waiting) await expect(each).rejects.toMatchObject(GIVEN_UP);
    const healing = source.reserve('order', 10, { timeoutMs: 300, floor: 50 });
    await expect(healing).rejects.toMatchObject(GIVEN_UP);
    await unlock?.();
    expect(await maxId()).toBe(0);
    expect(await source.reserve('order', 10, { timeoutMs: 60_000 })).toMatchObject({ low: 1, high: 10 });
  });

  faultTest('is not made when the whole table was locked for longer', async () => {
    const { pool, table, source, maxId } = await openSequence(log);
    const unlock = await injectFault(() => holdLock(pool, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`));
    const waiting = source.reserve('order', 10, { timeoutMs: 900 });
    const late = expect(waiting).rejects.toMatchObject(GIVEN_UP);
    await injectFault(() => untilWaitsFor(pool, table, 900));
    await unlock?.();
    await late;
    expect(await maxId()).toBe(0);
  });

  faultTest('is told so, and not to set a floor, when the table has another history as well', async () => {
    const { pool, table, source } = await openSequence(log);
    await source.reserve('order', 10);
    await pool.query(`UPDATE ${table} SET timeline = '0000FFFF'`);
    const unlock = await injectFault(() => holdLock(pool, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`));
    const waiting = source.reserve('order', 10, { timeoutMs: 900 });
    const late = expect(waiting).rejects.toMatchObject(GIVEN_UP);
    await injectFault(() => untilWaitsFor(pool, table, 900));
    await unlock?.();
    await late;
    const next = await source.reserve('order', 10);
    expect(next.newReign).toEqual({ cause: 'failover', skipped: 10_000_000 });
  });

  faultTest(
    'is not made later either when the row was changed meanwhile, however many wait for it',
    async () => {
      const { pool, table, source, maxId } = await openSequence(log);
      const unlock = await injectFault(() => holdLock(pool, `UPDATE ${table} SET max_id = max_id + 1`));
      const waiting = Array.from({ length: 10 }, () => source.reserve('order', 10, { timeoutMs: 600 }));
      for (const result of await Promise.allSettled(waiting)) {
        expect(result).toMatchObject({ status: 'rejected', reason: GIVEN_UP });
      }
      await unlock?.();
      expect(await maxId()).toBe(1);
    },
  );

  faultTest('waits without a limit when there is none', async () => {
    const { pool, table, source, maxId } = await openSequence(log);
    const unlock = await injectFault(() => holdLock(pool, `SELECT FROM ${table} FOR UPDATE`));
    let made = false;
    const waiting = source.reserve('order', 10).then(() => {
      made = true;
    });
    await injectFault(() => untilLocked(pool, table));
    // Nobody else was let in, so it still waits.
    expect({ made, waits: unlock !== undefined }).toEqual({ made: false, waits: true });
    await unlock?.();
    await waiting;
    expect(await maxId()).toBe(10);
  });
});
