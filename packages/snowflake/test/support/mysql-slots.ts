import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-mariadb';
import { fromMysql, type MysqlExecutor } from '@ids/store/mysql';
import mysql from 'mysql2';
import { onTestFinished } from 'vitest';
import { CLOCK_MS } from '../../src/mysql/statements.js';
import { createSlots, ensureSlotSchema } from '../../src/sql/index.js';
import type { ClockedSlots } from './clocked-slots.js';
import type { SlotsOptions } from './subject.js';

export const MARIADB = SQL_DIALECTS.find(({ dialect }) => dialect === 'mysql') as SqlDialect;

/** Slots named `order` in a database of their own on the shared MariaDB. */
export interface MysqlSlots extends ClockedSlots {
  readonly executor: MysqlExecutor;
}

/**
 * `server`: the URL of a database of one's own, in place of the shared MariaDB. The server's clock cannot be
 * set for a connection, so statements have another expression in its place.
 */
export async function openMysqlSlots(
  { log, ...options }: SlotsOptions = {},
  server?: string,
): Promise<MysqlSlots> {
  const url = server ?? (await MARIADB.shared());
  const pool = mysql.createPool({ uri: url, connectionLimit: 4 });
  onTestFinished(() => pool.promise().end());
  let clock = CLOCK_MS;
  const database = rewriting(pool, (text) => text.replaceAll(CLOCK_MS, clock));
  const executor = fromMysql(database);
  const table = 'id_slot';
  await ensureSlotSchema(executor, { table, log });
  await createSlots(executor, 'order', { table, ...options });
  const setClock: MysqlSlots['setClock'] = async (to) => {
    clock = 'atMs' in to ? String(to.atMs) : `(${CLOCK_MS} + ${to.offsetMs})`;
  };
  return { url, table, database, executor, setClock };
}

/** A pool whose connections run what `rewritten` makes of each statement. */
function rewriting(pool: mysql.Pool, rewritten: (text: string) => string) {
  const asSeen = (connection: mysql.PoolConnection) => ({
    query: (
      { sql, ...options }: mysql.QueryOptions,
      callback: (error: Error | null, result: unknown) => void,
    ) => connection.query({ ...options, sql: rewritten(sql) }, callback),
    release: () => connection.release(),
    destroy: () => connection.destroy(),
  });
  type Given = ReturnType<typeof asSeen>;
  return {
    getConnection: (callback: (error: Error | null, connection?: Given) => void) =>
      pool.getConnection((error, connection) =>
        error ? callback(error) : callback(null, asSeen(connection)),
      ),
    promise: () => pool.promise(),
    end: () => pool.promise().end(),
  };
}
