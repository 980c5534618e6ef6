export { whileBusy } from './busy.js';
export { type D1DatabaseLike, fromD1 } from './d1.js';
export { type DurableObjectStorageLike, fromDurableObject } from './durable-object.js';
export { isBusy, isMissingTable, isReadOnly, isStaleSnapshot, sqliteError } from './errors.js';
export { isSqliteExecutor, type SqliteExecutor, type SqliteHome } from './executor.js';
export {
  type GivenValues,
  given,
  givenInteger,
  givenText,
  type SqliteStatement,
  valuesOf,
} from './given.js';
export {
  ensureSqliteTable,
  missingSqliteParts,
  notReplaced,
  refuse,
  type SqliteGuardedTable,
  type SqliteTriggers,
  sqliteGuardedSchema,
} from './guarded-table.js';
export { fromLibsql, type LibsqlClientLike, type LibsqlOptions } from './libsql.js';
export { insertedReign, NEW_REIGN, REIGN_COLUMNS, sqliteChangeIn, WITH_NEW_REIGN } from './reign.js';
export { NO_SQLITE_RIGHTS, noSqliteGrants } from './rights.js';
export { type SqliteTableSql, sqliteTableSql } from './table-sql.js';
export { literal, SQLITE_NOW_MS, type SqliteTable, sqliteTable } from './text.js';
