export {
  fromMysql,
  fromMysqlUrl,
  type MysqlExecutor,
  type MysqlPoolLike,
  type MysqlUrlOptions,
} from '../mysql/pool.js';

export { listenerOption, wholeNumber } from '../options.js';
export { fromPglite, type PgliteLike } from '../postgres/pglite.js';
export {
  fromPg,
  fromPgUrl,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
} from '../postgres/pool.js';
export {
  ensureReserveProcedure,
  lacksReserveProcedure,
  type ReserveProcedureOptions,
  reserveProcedureSql,
} from '../postgres/reserve-procedure.js';
export type {
  CreatedSequence,
  CreateSequenceOptions,
  DialectOption,
  FloorOptions,
  LackingRights,
  SchemaOptions,
  SchemaPart,
} from '../store/dialect.js';
export type { DialectName, SqlExecutor, SqlResult } from '../store/executor.js';
export { defaultOwner, type Grant, type LogOptions, type Provenance } from '../store/grant-log.js';
export { type AfterReignChange, DEFAULT_SKIP, type NewReignOptions } from '../store/reign-change.js';
export type { SqlSegmentSourceOptions } from '../store/source-options.js';
export { DEFAULT_TABLE, type QuotedTable, quotedTable, type TableOptions } from '../store/table-name.js';
export { WrongTableError } from '../store/table-shape.js';
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
  openDatabase,
  openSource,
  openSqlSource,
  type ParsedSegmentOptions,
  type SegmentOptions,
  type SegmentOptionsSchema,
  type SourceOptions,
  type SqlSourceOptions,
  segmentOptionsSchema,
  tableOfSequence,
} from './open.js';
