import { IdError } from '@ids/core';
import { quotedTable } from '@ids/store';
import { whileBusy } from '@ids/store/sqlite';
import { isSqliteDatabase, openSqliteDatabase, type SqliteDatabaseLike } from '@ids/store/sqlite/file';
import { unreadable } from '../columns/found-column.js';
import { readSqliteColumn } from '../columns/sqlite-column.js';
import type { Dialect } from './dialect.js';
import { WAIT_SECONDS } from './own-transaction.js';

/** Files have no roles, and no clock of their own. */
export const sqlite: Dialect = {
  serverChecks: async (database) => {
    // The version of the library that the driver contains.
    const [row] = (await database.execute('SELECT sqlite_version() AS version', [])).rows;
    return [{ what: 'database', status: 'ok', detail: `SQLite ${row?.version}` }];
  },
  describesGuards: false,
  createsSchemas: false,

  quoted: (table) => quotedTable(table).table,
  readColumn: readSqliteColumn,
  greatestDecimal: ({ table, column }) =>
    `SELECT CAST(MAX(CAST(t AS integer)) AS text) AS max FROM (SELECT CAST(${column} AS text) AS t FROM ${table})
WHERE t GLOB '[1-9]*' AND t NOT GLOB '*[^0-9]*' AND length(t) <= 16 AND CAST(t AS integer) <= ${Number.MAX_SAFE_INTEGER}`,
  examples: (found) => {
    const why =
      'encoded IDs of a SQLite database cannot be found by their pattern, so it is not known how far they go';
    throw unreadable(found, why);
  },
  digits: 'text',

  inTransaction,
  beforeAltering: [],
  gaveUp: () => false,
};

/** A file has no connection of its own for a database that a config hands in. */
async function inTransaction<T>(database: unknown, work: (tx: object) => Promise<T>): Promise<T> {
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
    await whileLocked(opened, 'BEGIN IMMEDIATE');
    try {
      const result = await work(opened);
      await whileLocked(opened, 'COMMIT');
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

async function whileLocked(file: SqliteDatabaseLike, sql: string): Promise<void> {
  const overdue = AbortSignal.timeout(1_000 * WAIT_SECONDS);
  try {
    await whileBusy(() => file.exec(sql), overdue);
  } catch (cause) {
    if (cause !== overdue.reason) throw cause;
    throw new IdError(
      'ERR_IDS_TIMEOUT',
      `others have had the file locked for ${WAIT_SECONDS} s; nothing was changed`,
      { cause },
    );
  }
}
