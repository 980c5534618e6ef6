import { readWholeNumber, type TableOptions } from '@ids/store';
import { inDialect } from './in-dialect.js';
import { raiseOnMysql, seedOnMysql } from './mysql/seed.js';
import { createMysqlSeriesWithin } from './mysql/series.js';
import { type NumberOptions, requestOf, type Series } from './number-options.js';
import { raiseOnPostgres, seedOnPostgres } from './postgres/seed.js';
import { createSeriesWithin as createOnPostgres } from './postgres/series.js';
import { raiseOnSqlite, seedOnSqlite } from './sqlite/seed.js';
import { createSqliteSeriesWithin } from './sqlite/series.js';
import { assertDocuments, type Documents } from './table/documents.js';

const CREATE = {
  postgres: createOnPostgres,
  mysql: createMysqlSeriesWithin,
  sqlite: createSqliteSeriesWithin,
};
const SEED = { postgres: seedOnPostgres, mysql: seedOnMysql, sqlite: seedOnSqlite };
const RAISE = { postgres: raiseOnPostgres, mysql: raiseOnMysql, sqlite: raiseOnSqlite };

/**
 * Creates a series in your transaction `tx`, so that nobody can take a number of it before the transaction
 * has seeded it too. Resolves with false if it exists. Rejects like `nextWithin`.
 */
export async function createSeriesWithin(
  tx: unknown,
  series: string | Series,
  options: TableOptions = {},
): Promise<boolean> {
  const request = requestOf(series, '', 1, options);
  return await inDialect(tx, request, (port) => CREATE[port.dialect](port, request));
}

/** What `seedWithin` has done. */
export interface Seeded {
  /** The keys in the table, whether they were raised or not. */
  readonly keys: number;
  /** The highest last number among them; 0 without any. */
  readonly highest: number;
}

/**
 * Raises each key of a series to the highest number in a table of yours, so that the next one follows it.
 * Keys that are there already are never lowered. All in one statement, in your transaction `tx`, which keeps
 * writers out of the table until it ends; readers go on. On Postgres the transaction must be READ COMMITTED.
 * On MySQL and MariaDB it must be REPEATABLE READ or SERIALIZABLE, as the session has it: no server says what
 * SET TRANSACTION without SESSION has set. Rows are locked one by one.
 *
 * Rejects like `nextWithin`, and with `ERR_IDS_CONFIG` like `findGaps`. On Postgres, it waits for a lock as
 * long as `lock_timeout` says, or 3 seconds without one.
 */
export async function seedWithin(
  tx: unknown,
  series: string | Series,
  documents: Documents,
  options: TableOptions = {},
): Promise<Seeded> {
  assertDocuments(documents);
  const request = requestOf(series, '', 1, options);
  const row = await inDialect(tx, request, (port) => SEED[port.dialect](port, request, documents));
  return { keys: readWholeNumber(row?.keys, 'keys'), highest: readWholeNumber(row?.highest, 'last_number') };
}

/**
 * Raises one key to `last`, a whole number from 1 to 2^53 - 1, so that the next number follows it. A key
 * that is higher stays. Resolves with the last number of the key. Rejects like `nextWithin`; after the
 * deadline, roll back.
 */
export async function raiseWithin(
  tx: unknown,
  series: string | Series,
  key: string,
  last: number,
  options: Pick<NumberOptions, 'table' | 'deadlineMs'> = {},
): Promise<number> {
  // Not 0: each key begins with 1.
  if (!Number.isSafeInteger(last) || last < 1) {
    throw new RangeError(`last must be a whole number from 1 to 2^53 - 1, got ${String(last)}`);
  }
  const request = requestOf(series, key, 1, options);
  const row = await inDialect(tx, request, (port) => RAISE[port.dialect](port, request, last));
  return readWholeNumber(row?.highest, 'last_number');
}
