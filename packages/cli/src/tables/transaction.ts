import { IdError } from '@ids/core';
import { isMysqlExecutor } from '@ids/store/mysql';
import { isSqliteExecutor, whileBusy } from '@ids/store/sqlite';
import { isSqliteDatabase, openSqliteDatabase, type SqliteDatabaseLike } from '@ids/store/sqlite/file';
import { openDatabase } from './generators.js';

/** How long a transaction of a command waits for a lock, while others may wait for the same one behind it. */
export const WAIT_SECONDS = 3;

/** A connection of its own, of `pg` or `mysql2`. */
interface Connection {
  query(sql: string): Promise<unknown>;
  /** Ends it, also one that a pool has lent: its settings are not those of the pool any more. */
  end(): unknown;
}

/**
 * Does `work` in a transaction in which `seedWithin` can run, on a connection of its own. Commits if it
 * resolves, and otherwise rolls back.
 */
export async function inTransaction<T>(database: unknown, work: (tx: object) => Promise<T>): Promise<T> {
  await using executor = await openDatabase(database);
  if (isSqliteExecutor(executor)) return await inFile(database, work);
  const mysql = isMysqlExecutor(executor);
  const connection = await (mysql ? connectMysql : connectPostgres)(database);
  const begin = mysql
    ? [
        'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
        `SET SESSION innodb_lock_wait_timeout = ${WAIT_SECONDS}`,
        'START TRANSACTION',
      ]
    : ['BEGIN ISOLATION LEVEL READ COMMITTED', `SET LOCAL lock_timeout = '${WAIT_SECONDS}s'`];
  try {
    for (const statement of begin) await connection.query(statement);
    const result = await work(connection);
    await connection.query('COMMIT');
    return result;
  } finally {
    // Without a COMMIT, the end of the connection is the rollback.
    await connection.end();
  }
}

/** A file has no connection of its own for a database that a config hands in. */
async function inFile<T>(database: unknown, work: (tx: object) => Promise<T>): Promise<T> {
  const own = typeof database === 'string';
  const file = own ? undefined : (database as SqliteDatabaseLike);
  if (own ? database.startsWith('libsql:') : !isSqliteDatabase(file)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'the commands write a series in a file, by a sqlite: URL or a Database of its driver, not through @libsql/client; run createSeriesWithin, seedWithin or raiseWithin in a transaction of @libsql/client',
    );
  }
  const opened = file ?? (await openSqliteDatabase(String(database)));
  try {
    await whileBusy(() => opened.exec('BEGIN IMMEDIATE'), AbortSignal.timeout(1_000 * WAIT_SECONDS));
    try {
      const result = await work(opened);
      await whileBusy(() => opened.exec('COMMIT'), AbortSignal.timeout(1_000 * WAIT_SECONDS));
      return result;
    } catch (error) {
      try {
        opened.exec('ROLLBACK');
      } catch {
        // SQLite has rolled back by itself, as on a full disk: the first error says why.
      }
      throw error;
    }
  } finally {
    if (own) opened.close();
  }
}

async function connectPostgres(database: unknown): Promise<Connection> {
  if (typeof database === 'string') {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: database, application_name: 'ids' });
    client.on('error', () => {});
    await client.connect();
    return client;
  }
  const client = await (database as PoolOf<Connection & { release(destroy: boolean): void }>).connect();
  return Object.assign(client, { end: () => client.release(true) });
}

async function connectMysql(database: unknown): Promise<Connection> {
  const { default: mysql } = await import('mysql2/promise');
  if (typeof database === 'string') {
    const uri = database.replace(/^mariadb:/, 'mysql:');
    const connection = await mysql.createConnection({ uri, connectAttributes: { program_name: 'ids' } });
    return Object.assign(connection, { end: () => connection.destroy() });
  }
  const pool = database as PoolOf<Connection & { destroy(): void }>;
  const connection = await (pool.promise?.() ?? pool).getConnection();
  return Object.assign(connection, { end: () => connection.destroy() });
}

interface PoolOf<Lent> {
  connect(): Promise<Lent>;
  getConnection(): Promise<Lent>;
  promise?(): PoolOf<Lent>;
}
