import { DEFAULT_TABLE } from '@ids/segment';
import { type AnyDatabase, openDatabase } from '@ids/store/open';
import { keyTableOf } from '../table/key-table.js';
import type { SqlKeyedSourceOptions } from '../table/options.js';
import { SqlKeyedSource } from './any-dialect.js';

/**
 * How many connections a pool opens that is opened here: for a statement with many keys at a time and some
 * that wait for a locked key.
 */
const CONNECTIONS = 8;

export interface OpenKeyedSourceOptions extends Omit<SqlKeyedSourceOptions, 'closeExecutor'> {
  /**
   * A pool of `pg` or `mysql2` or a database of `better-sqlite3`, `libsql` or `node:sqlite`, which the caller
   * closes; or a `postgres://`, `mysql://`, `mariadb://` or `sqlite:` URL, which is opened and closed here.
   */
  readonly database: AnyDatabase;
}

/**
 * A source of keys over a database. Its `close` closes what was opened here. It connects when it is first
 * used.
 */
export async function openKeyedSource({
  database,
  ...options
}: OpenKeyedSourceOptions): Promise<SqlKeyedSource> {
  // Before anything is opened that nobody would close.
  keyTableOf(options.table ?? DEFAULT_TABLE);
  const executor = await openDatabase(database, { max: CONNECTIONS });
  return new SqlKeyedSource(executor, { ...options, closeExecutor: true });
}
