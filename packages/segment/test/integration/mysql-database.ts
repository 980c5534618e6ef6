import { uniqueName } from '@ids/local-services';
import { felt } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-mariadb';
import mysql from 'mysql2/promise';
import { inject, onTestFinished } from 'vitest';
import { ensureSchema, fromMysql, type SqlExecutor } from '../../src/sql/index.js';

/** A database of its own in the shared MariaDB, with the segment table in it; gone with the server. */
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
  const table = `${database}.id_segment`;
  const executor = fromMysql(pool);
  await ensureSchema(executor, { table });
  return { pool, executor, database, table };
}

/**
 * The table's age is in seconds: a dump is not restored in the one in which the table was created. The times
 * of files may lie behind the clock by a tick of the kernel, 10 ms.
 */
export async function pastCreation(pool: mysql.Pool, table: string): Promise<void> {
  const [schema, name] = table.split('.');
  const sql = `SELECT CREATE_TIME + INTERVAL 1050000 MICROSECOND < NOW(6) AS past
    FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`;
  const isPast = async (): Promise<boolean> => {
    const [rows] = await pool.query(sql, [schema, name]);
    return (rows as { past: number }[])[0]?.past === 1;
  };
  await felt('the second is over', isPast, new Promise(() => {}));
}
