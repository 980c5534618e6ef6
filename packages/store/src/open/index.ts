import { formatValue, ruleMessage } from '@ids/core/strategy';
import * as v from 'valibot';
import type { SqlExecutor } from '../executor.js';
import { isOwner, OWNER_RULE } from '../grant-log.js';
import { fromMysql, fromMysqlUrl, isMysqlPool, isMysqlUrl, type MysqlPoolLike } from '../mysql/pool.js';
import { type BunSqlLike, fromBunSql, isBunSql } from '../postgres/bun-sql.js';
import { fromNeon, isNeonHttp, type NeonHttpLike } from '../postgres/neon.js';
import {
  assertDatabaseUrl,
  describeBadUrl,
  describeSchemaInUrl,
  fromPg,
  fromPgUrl,
  isDatabaseUrl,
  isPgPool,
  type PgPoolLike,
} from '../postgres/pool.js';
import { fromPostgresJs, isPostgresJs, type PostgresJsLike } from '../postgres/postgres-js.js';
import { AFTER_RULE, type AfterReignChange, isAfterReignChange } from '../skip.js';
import { isSqliteDatabase, type SqliteDatabaseLike } from '../sqlite/file/connection.js';
import { fromSqlite, fromSqliteUrl, isSqliteUrl, SQLITE_URL_RULE } from '../sqlite/file/pool.js';
import { fromLibsqlUrl, isLibsqlUrl, LIBSQL_URL_RULE } from '../sqlite/libsql-url.js';
import { isTableName, TABLE_NAME_RULE } from '../table-name.js';

/** What a generator takes as its database. */
export type AnyDatabase =
  | PgPoolLike
  | PostgresJsLike
  | NeonHttpLike
  | BunSqlLike
  | MysqlPoolLike
  | SqliteDatabaseLike
  | string;

const RECOGNISERS = [
  isDatabaseUrl,
  isPgPool,
  isPostgresJs,
  isNeonHttp,
  isBunSql,
  isMysqlUrl,
  isMysqlPool,
  isSqliteUrl,
  isLibsqlUrl,
  isSqliteDatabase,
];

const isAnyDatabase = (value: unknown): boolean =>
  RECOGNISERS.some((is) => is(value)) && describeSchemaInUrl(value) === undefined;

/**
 * An executor for a pool of `pg` or `mysql2`, a client of `postgres` or Neon or a database of SQLite, whose
 * `close` leaves it open, or for a URL, whose `close` closes what it opened: at most `max` connections, 2 by
 * default, and one to a file.
 */
export async function openDatabase(
  database: AnyDatabase,
  options: { readonly max?: number } = {},
): Promise<SqlExecutor> {
  if (isMysqlUrl(database)) return fromMysqlUrl(database, options);
  if (isMysqlPool(database)) return fromMysql(database);
  if (isSqliteUrl(database)) return fromSqliteUrl(database);
  if (isLibsqlUrl(database)) return fromLibsqlUrl(database);
  if (isSqliteDatabase(database)) return fromSqlite(database);
  if (isPostgresJs(database)) return fromPostgresJs(database);
  if (isBunSql(database)) return fromBunSql(database);
  if (isNeonHttp(database)) return fromNeon(database);
  if (typeof database !== 'string') return fromPg(database as PgPoolLike);
  assertDatabaseUrl(database, ANY_URL_RULE);
  return fromPgUrl(database, options);
}

/** For error messages. */
const SERVER_URL = 'a postgres://, postgresql://, mysql:// or mariadb:// URL';
const ANY_URL_RULE = `${SERVER_URL}, ${LIBSQL_URL_RULE}, or ${SQLITE_URL_RULE}`;

/** The messages of the schema library would quote the value, and a URL may contain a password. */
function databaseMessage(value: unknown): string {
  if (typeof value === 'string') return describeSchemaInUrl(value) ?? describeBadUrl(value, ANY_URL_RULE);
  const accepted = `must be ${SERVER_URL}, ${LIBSQL_URL_RULE}, ${SQLITE_URL_RULE}, a pool of pg or mysql2, a client of postgres, a Pool or function of @neondatabase/serverless, a client of Bun.SQL, or a database of better-sqlite3, libsql or node:sqlite`;
  if (isInWorker(value)) {
    return `${accepted}; for D1 and the storage of a Durable Object, use the option "source" of @ids/segment-inproc/edge, over fromD1 or fromDurableObject`;
  }
  return isClient(value)
    ? `${accepted}, not a client or a transaction: a reservation must commit by itself`
    : `${accepted}, got ${formatValue(value)}`;
}

/** A binding of D1, or the storage of a Durable Object. */
function isInWorker(value: unknown): boolean {
  const { prepare, batch, sql, sync } = Object(value) as Record<string, unknown>;
  const isD1 = typeof prepare === 'function' && typeof batch === 'function';
  return isD1 || (typeof sql === 'object' && typeof sync === 'function');
}

/** A client or a transaction, which with `postgres` is a function, as its reserved connections are. */
function isClient(value: unknown): boolean {
  const names = typeof value === 'function' ? ['savepoint', 'release'] : ['query'];
  return names.some((name) => name in Object(value));
}

export function afterReignChange() {
  return v.optional(v.custom<AfterReignChange>(isAfterReignChange, ruleMessage(AFTER_RULE)));
}

/** The options of every strategy with a table: where it is, and whether grants are logged. */
export const databaseOptions = {
  database: v.optional(v.custom<AnyDatabase>(isAnyDatabase, ({ input }) => databaseMessage(input))),
  table: v.optional(v.custom<string>(isTableName, ruleMessage(`must be ${TABLE_NAME_RULE}`))),
  log: v.optional(
    v.custom<boolean>((value) => typeof value === 'boolean', ruleMessage('must be true or false')),
  ),
  owner: v.optional(v.custom<string>(isOwner, ruleMessage(`must be ${OWNER_RULE}`))),
};
