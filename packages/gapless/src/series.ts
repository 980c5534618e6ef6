import { IdError } from '@ids/core';
import {
  assertSequenceName,
  type DialectOption,
  type SchemaPart,
  type SqlExecutor,
  type TableOptions,
} from '@ids/store';
import { seriesDialectOf } from './any-dialect.js';
import { assertDocuments, type Documents } from './table/documents.js';
import { DEFAULT_NUMBER_TABLE, seriesTableOf } from './table/names.js';

/**
 * The DDL of the tables of the series and of their numbers, for a migration: statements separated by
 * semicolons, safe to run again. Needs Postgres 14, MariaDB 10.6, MySQL 8.0.29 or SQLite 3.39, or later. The
 * table of the numbers rejects a lower `last_number`, a renamed or deleted row and, on Postgres, TRUNCATE.
 */
export function numberSchema(table: string = DEFAULT_NUMBER_TABLE, options: DialectOption = {}): string {
  return seriesDialectOf(options).schema(table);
}

/**
 * Creates both tables with their guards, unless they exist. Any number of processes may call it at the same
 * time. Rejects with `ERR_IDS_CONFIG`, which names the columns, if one of them is of another shape.
 */
export async function ensureNumberSchema(
  executor: SqlExecutor,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<void> {
  await seriesDialectOf(executor).ensure(executor, table);
}

/** What `ensureNumberSchema` would create. It changes nothing. */
export async function missingNumberSchema(
  executor: SqlExecutor,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<SchemaPart[]> {
  return await seriesDialectOf(executor).missing(executor, table);
}

/**
 * The least rights of a service's role, as SQL for a migration: it can take numbers of keys, which creates
 * them. It cannot create a series, nor delete anything. On MySQL the role is an account: `name`, or
 * `name@host`.
 */
export function numberGrants(
  role: string,
  { table = DEFAULT_NUMBER_TABLE, dialect }: TableOptions & DialectOption = {},
): string {
  seriesTableOf(table);
  return seriesDialectOf({ dialect }).grants(role, table);
}

export interface SeriesSqlOptions extends TableOptions, DialectOption {
  /** Where numbers of the series exist already. Strings of another format are left out. */
  readonly startAfter?: Documents | undefined;
}

/**
 * The SQL that creates a series and seeds it, in a transaction of its own, for a migration; safe to run again
 * and never lowers a key.
 */
export function seriesSql(
  name: string,
  { table = DEFAULT_NUMBER_TABLE, dialect, startAfter }: SeriesSqlOptions = {},
): string {
  assertSequenceName(name);
  seriesTableOf(table);
  if (startAfter !== undefined) assertDocuments(startAfter);
  return `${seriesDialectOf({ dialect }).seriesSql(name, table, startAfter).join(';\n')};\n`;
}

/**
 * Creates a series, which must exist before its keys can have numbers: so a misspelled name is an error.
 * Resolves with false if it exists.
 */
export async function createSeries(
  executor: SqlExecutor,
  name: string,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<boolean> {
  assertSequenceName(name);
  return await seriesDialectOf(executor).create(executor, name, table);
}

/**
 * Accepts the present state of the database after a failover or a restore: requests with `afterFailover:
 * 'refuse'` or `afterRestore: 'refuse'` are served again. First raise the keys above the numbers of documents
 * that the database no longer has. Rejects with `ERR_IDS_CONFIG` if there is no such series.
 */
export async function acceptSeries(
  executor: SqlExecutor,
  name: string,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<void> {
  assertSequenceName(name);
  if (await seriesDialectOf(executor).accept(executor, name, table)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `${seriesTableOf(table)} has no series ${JSON.stringify(name)}; create it with createSeries`,
  );
}
