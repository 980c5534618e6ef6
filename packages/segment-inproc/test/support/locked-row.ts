import { openPostgresPool } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import type pg from 'pg';
import { inject, onTestFinished } from 'vitest';

/** A pool on the shared Postgres that ends with the test. */
export function openPool(): pg.Pool {
  const pool = openPostgresPool(inject('databaseUrl'), { max: 2 });
  onTestFinished(() => pool.end());
  return pool;
}

/** How many statements on `table` wait for a lock. */
export async function waitingFor(pool: pg.Pool, table: string): Promise<number> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
  return (await pool.query(waiting, [table])).rowCount ?? 0;
}

/** Locks the rows of a table; what it resolves with lets them go. */
export async function lockRows(pool: pg.Pool, table: string): Promise<() => Promise<void>> {
  const locker = await pool.connect();
  await locker.query('BEGIN');
  await locker.query(`SELECT FROM ${table} FOR UPDATE`);
  return async () => {
    await locker.query('ROLLBACK');
    locker.release();
  };
}
