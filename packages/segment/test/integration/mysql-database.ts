import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import mysql from 'mysql2/promise';
import { inject, onTestFinished } from 'vitest';
import { ensureSchema, fromMysql, type SqlExecutor } from '../../src/sql/index.js';

/** A database of its own in the shared MariaDB, with the segment table in it; gone after the test. */
export interface MysqlTestDatabase {
  readonly pool: mysql.Pool;
  readonly executor: SqlExecutor;
  readonly database: string;
  /** `database.id_segment`, for the `table` options. */
  readonly table: string;
}

/** A pool on the shared MariaDB that ends with the test. */
export function openMysqlPool(options: mysql.PoolOptions = {}): mysql.Pool {
  const pool = mysql.createPool({ uri: inject('mysqlUrl'), connectionLimit: 4, ...options });
  onTestFinished(() => pool.end());
  return pool;
}

export async function openMysqlDatabase(): Promise<MysqlTestDatabase> {
  const pool = openMysqlPool();
  const database = uniqueName('segment');
  await pool.query(`CREATE DATABASE ${database}`);
  onTestFinished(async () => {
    await pool.query(`DROP DATABASE ${database}`);
  });
  const table = `${database}.id_segment`;
  const executor = fromMysql(pool);
  await ensureSchema(executor, { table });
  return { pool, executor, database, table };
}
