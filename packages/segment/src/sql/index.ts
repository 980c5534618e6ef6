export {
  fromMysql,
  fromMysqlUrl,
  type MysqlExecutor,
  type MysqlPoolLike,
  type MysqlUrlOptions,
} from '../mysql/pool.js';
export { listenerOption, wholeNumber } from '../options.js';
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
export type { DialectOption } from './dialect.js';
export type { DialectName, SqlExecutor, SqlResult } from './executor.js';
export { defaultOwner, type Grant, type LogOptions, type Provenance } from './grant-log.js';
export type { SchemaPart } from './guarded-table.js';
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
export {
  fromPg,
  fromPgUrl,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
} from './pg.js';
export { fromPglite, type PgliteLike } from './pglite.js';
export { type AfterReignChange, DEFAULT_SKIP, type NewReignOptions } from './reign.js';
export {
  ensureReserveProcedure,
  lacksReserveProcedure,
  type ReserveProcedureOptions,
  reserveProcedureSql,
} from './reserve-procedure.js';
export type { LackingRights } from './rights.js';
export type { SchemaOptions } from './schema.js';
export type { CreatedSequence, CreateSequenceOptions, FloorOptions } from './sequences.js';
export type { SqlSegmentSourceOptions } from './source-options.js';
export { DEFAULT_TABLE, type QuotedTable, quotedTable, type TableOptions } from './table-name.js';
export { WrongTableError } from './table-shape.js';
