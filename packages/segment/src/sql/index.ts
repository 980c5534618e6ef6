export {
  type AfterReignChange,
  type DialectName,
  type DialectOption,
  defaultOwner,
  type GrowingSkip,
  type LackingRights,
  type LogOptions,
  type NewReignOptions,
  type QuotedTable,
  quotedTable,
  type SchemaOptions,
  type SchemaPart,
  type SqlExecutor,
  type SqlResult,
  type TableOptions,
  WrongTableError,
} from '@ids/store';
export {
  fromMysql,
  fromMysqlUrl,
  type MysqlExecutor,
  type MysqlPoolLike,
  type MysqlUrlOptions,
} from '@ids/store/mysql';
export { openDatabase } from '@ids/store/open';
export {
  type BunSqlLike,
  type BunSqlSessionLike,
  fromBunSql,
  fromNeon,
  fromPg,
  fromPglite,
  fromPgUrl,
  fromPostgresJs,
  type NeonHttpLike,
  type PgliteLike,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
  type PostgresJsLike,
  type PostgresJsNotice,
  type PostgresJsSessionLike,
  postgresJsNotices,
} from '@ids/store/postgres';
export {
  type D1DatabaseLike,
  type DurableObjectStorageLike,
  fromD1,
  fromDurableObject,
  fromLibsql,
  type LibsqlClientLike,
  type LibsqlOptions,
  type SqliteExecutor,
} from '@ids/store/sqlite';
export {
  fromLibsqlFile,
  fromSqlite,
  fromSqliteUrl,
  type LibsqlFileClientLike,
  type SqliteDatabaseLike,
} from '@ids/store/sqlite/file';
export { listenerOption, wholeNumber } from '@ids/waiting';
export { mysqlGroupNow, NOW_MS } from '../mysql/groups.js';
export { GROUP_NOW, readGroup } from '../postgres/groups.js';
export {
  ensureReserveProcedure,
  lacksReserveProcedure,
  type ReserveProcedureOptions,
  reserveProcedureSql,
} from '../postgres/reserve-procedure.js';
export type { CreatedSequence, CreateSequenceOptions, FloorOptions } from '../table/dialect.js';
export type { Grant, Provenance } from '../table/grant-log.js';
export type { SqlSegmentSourceOptions } from '../table/source-options.js';
export {
  createSequence,
  ensureSchema,
  lackingRights,
  missingSchema,
  SqlSegmentSource,
  segmentGrants,
  segmentSchema,
  sequenceSql,
  setFloor,
  whoIssued,
} from './any-dialect.js';
export {
  type OpenedSource,
  openSource,
  openSqlSource,
  type ParsedSegmentOptions,
  type SegmentOptions,
  type SegmentOptionsSchema,
  type SourceOptions,
  type SqlSourceOptions,
  segmentOptionsSchema,
} from './open.js';
export { provenanceParts, type SegmentStoreOptions, segmentStore } from './store.js';
