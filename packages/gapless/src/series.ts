import { IdError } from '@ids/core';
import {
  assertSequenceName,
  type DialectOption,
  type SchemaPart,
  type SqlExecutor,
  type TableOptions,
} from '@ids/store';
import { isMysqlExecutor } from '@ids/store/mysql';
import { isSqliteExecutor, noSqliteGrants } from '@ids/store/sqlite';
import { mysqlNumberGrants } from './mysql/rights.js';
import { ensureMysqlNumberSchema, missingMysqlNumberSchema, mysqlNumberSchema } from './mysql/schema.js';
import * as mysqlSeed from './mysql/seed.js';
import * as mysqlSeries from './mysql/series.js';
import { numberGrants as postgresNumberGrants } from './postgres/rights.js';
import * as postgresSchema from './postgres/schema.js';
import * as postgresSeed from './postgres/seed.js';
import * as postgresSeries from './postgres/series.js';
import { ensureSqliteNumberSchema, missingSqliteNumberSchema, sqliteNumberSchema } from './sqlite/schema.js';
import * as sqliteSeed from './sqlite/seed.js';
import * as sqliteSeries from './sqlite/series.js';
import { assertDocuments, type Documents } from './table/documents.js';
import { DEFAULT_NUMBER_TABLE, seriesTableOf } from './table/names.js';

const SCHEMA = {
  postgres: postgresSchema.numberSchema,
  mysql: mysqlNumberSchema,
  sqlite: sqliteNumberSchema,
};
const ENSURE = {
  postgres: postgresSchema.ensureNumberSchema,
  mysql: ensureMysqlNumberSchema,
  sqlite: ensureSqliteNumberSchema,
};
const MISSING = {
  postgres: postgresSchema.missingNumberSchema,
  mysql: missingMysqlNumberSchema,
  sqlite: missingSqliteNumberSchema,
};

/**
 * The DDL of the tables of the series and of their numbers, for a migration: statements separated by
 * semicolons, safe to run again. Needs Postgres 14, MariaDB 10.6, MySQL 8.0.29 or SQLite 3.39, or later. The
 * table of the numbers rejects a lower `last_number`, a renamed or deleted row and, on Postgres, TRUNCATE.
 */
export function numberSchema(
  table: string = DEFAULT_NUMBER_TABLE,
  { dialect = 'postgres' }: DialectOption = {},
): string {
  return SCHEMA[dialect](table);
}

/**
 * Creates both tables with their guards, unless they exist. Any number of processes may call it at the same
 * time. Rejects with `ERR_IDS_CONFIG`, which names the columns, if one of them is of another shape.
 */
export async function ensureNumberSchema(
  executor: SqlExecutor,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<void> {
  await ENSURE[executor.dialect ?? 'postgres'](executor, table);
}

/** What `ensureNumberSchema` would create. It changes nothing. */
export async function missingNumberSchema(
  executor: SqlExecutor,
  { table = DEFAULT_NUMBER_TABLE }: TableOptions = {},
): Promise<SchemaPart[]> {
  return await MISSING[executor.dialect ?? 'postgres'](executor, table);
}

/**
 * The least rights of a service's role, as SQL for a migration: it can take numbers of keys, which creates
 * them. It cannot create a series, nor delete anything. On MySQL the role is an account: `name`, or
 * `name@host`.
 */
export function numberGrants(
  role: string,
  { table = DEFAULT_NUMBER_TABLE, dialect = 'postgres' }: TableOptions & DialectOption = {},
): string {
  seriesTableOf(table);
  if (dialect === 'sqlite') return noSqliteGrants();
  return dialect === 'mysql' ? mysqlNumberGrants(role, table) : postgresNumberGrants(role, table);
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
  { table = DEFAULT_NUMBER_TABLE, dialect = 'postgres', startAfter }: SeriesSqlOptions = {},
): string {
  assertSequenceName(name);
  seriesTableOf(table);
  if (startAfter !== undefined) assertDocuments(startAfter);
  return `${SERIES_SQL[dialect](name, table, startAfter).join(';\n')};\n`;
}

function postgresSeriesSql(name: string, table: string, documents: Documents | undefined): string[] {
  const create = postgresSeries.createStatement(name, table);
  if (documents === undefined) return [create];
  const seed = postgresSeed.seedStatement({ name, table }, documents);
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    postgresSeed.lockStatement(documents),
    create,
    seed,
    'COMMIT',
  ];
}

function mysqlSeriesSql(name: string, table: string, documents: Documents | undefined): string[] {
  const create = mysqlSeries.createStatement(name, table);
  if (documents === undefined) return [create];
  const seed = mysqlSeed.seedStatement({ name, table }, documents);
  return ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION', create, seed, 'COMMIT'];
}

function sqliteSeriesSql(name: string, table: string, documents: Documents | undefined): string[] {
  const create = sqliteSeries.createStatement(name, table);
  if (documents === undefined) return [create];
  return ['BEGIN IMMEDIATE', create, ...sqliteSeed.seedStatements({ name, table }, documents), 'COMMIT'];
}

const SERIES_SQL = { postgres: postgresSeriesSql, mysql: mysqlSeriesSql, sqlite: sqliteSeriesSql };

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
  if (isSqliteExecutor(executor)) return await sqliteSeries.createSqliteSeries(executor, name, table);
  if (isMysqlExecutor(executor)) return await mysqlSeries.createMysqlSeries(executor, name, table);
  return await postgresSeries.createSeries(executor, name, table);
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
  if (await accept(executor, name, table)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `${seriesTableOf(table)} has no series ${JSON.stringify(name)}; create it with createSeries`,
  );
}

function accept(executor: SqlExecutor, name: string, table: string): Promise<boolean> {
  if (isSqliteExecutor(executor)) return sqliteSeries.acceptSqliteSeries(executor, name, table);
  if (isMysqlExecutor(executor)) return mysqlSeries.acceptMysqlSeries(executor, name, table);
  return postgresSeries.acceptSeries(executor, name, table);
}
