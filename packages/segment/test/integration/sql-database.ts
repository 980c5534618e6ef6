import { createPostgresRole, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { ensureSchema, fromPg, type SqlExecutor } from '../../src/sql/index.js';

/** A schema of its own in the shared Postgres, with the segment table in it; gone after the test. */
export interface TestDatabase {
  readonly pool: pg.Pool;
  readonly executor: SqlExecutor;
  readonly schema: string;
  /** `schema.id_segment`, for the `table` options. */
  readonly table: string;
}

/** A pool on the shared Postgres that ends with the test. */
export function openPool(config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: inject('databaseUrl'), max: 4, ...config });
  pool.on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
  });
  return pool;
}

/** A connection of `pool` that goes back with the test at the latest: a pool does not end before. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  const connection = await pool.connect();
  onTestFinished(() => {
    try {
      connection.release(true);
    } catch {
      // The test has released it.
    }
  });
  return connection;
}

export async function openDatabase(): Promise<TestDatabase> {
  const pool = openPool();
  const schema = uniqueName('segment');
  await pool.query(`CREATE SCHEMA ${schema}`);
  onTestFinished(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });
  const table = `${schema}.id_segment`;
  const executor = fromPg(pool);
  await ensureSchema(executor, { table });
  return { pool, executor, schema, table };
}

/** A pool whose connections have a new role of this name, which lives as long as the test. */
export async function openPoolAs(name: string, attributes?: string, max?: number): Promise<pg.Pool> {
  const role = await createPostgresRole(inject('databaseUrl'), { name, attributes });
  onTestFinished(role.close);
  return openPool({ connectionString: role.url, ...(max !== undefined && { max }) });
}

/** Resolves once `count` statements that name `text`'s schema wait for a lock. */
export async function untilLocked(pool: pg.Pool, text: string, count = 1): Promise<void> {
  const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
  const [schema] = text.split('.');
  while (((await pool.query(sql, [schema])).rowCount ?? 0) < count);
}
