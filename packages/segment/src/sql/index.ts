export { listenerOption, wholeNumber } from '../options.js';
export type { SqlExecutor, SqlResult } from './executor.js';
export { defaultOwner, type Grant, type LogOptions, type Provenance, whoIssued } from './grant-log.js';
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
export {
  fromPg,
  fromPgUrl,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
} from './pg.js';
export { fromPglite, type PgliteLike } from './pglite.js';
export type { AfterReignChange, NewReignOptions } from './reign.js';
export { type LackingRights, lackingRights, segmentGrants } from './rights.js';
export { ensureSchema, missingSchema, type SchemaOptions, type SchemaPart, segmentSchema } from './schema.js';
export {
  type CreatedSequence,
  type CreateSequenceOptions,
  createSequence,
  sequenceSql,
  setFloor,
} from './sequences.js';
export { SqlSegmentSource, type SqlSegmentSourceOptions } from './sql-segment-source.js';
export { DEFAULT_TABLE, type QuotedTable, quotedTable, type TableOptions } from './table-name.js';
