export { listenerOption, wholeNumber } from '../dispenser-options.js';
export { type LackingRights, lackingRights } from './lacking-rights.js';
export type { AfterReignChange, NewReignOptions } from './new-reign.js';
export {
  type OpenedSource,
  openSource,
  openSqlSource,
  type SourceOptions,
  type SqlSourceOptions,
} from './open-source.js';
export { defaultOwner } from './owner.js';
export {
  fromPg,
  fromPgUrl,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
} from './pg-executor.js';
export { fromPglite, type PgliteLike } from './pglite-executor.js';
export { segmentGrants } from './segment-grants.js';
export {
  type ParsedSegmentOptions,
  type SegmentOptions,
  type SegmentOptionsSchema,
  segmentOptionsSchema,
} from './segment-options-schema.js';
export {
  ensureSchema,
  missingSchema,
  type SchemaOptions,
  type SchemaPart,
  segmentSchema,
  type TableOptions,
} from './segment-schema.js';
export { sequenceSql } from './sequence-sql.js';
export { type CreatedSequence, type CreateSequenceOptions, createSequence, setFloor } from './sequences.js';
export type { SqlExecutor, SqlResult } from './sql-executor.js';
export { type LogOptions, SqlSegmentSource, type SqlSegmentSourceOptions } from './sql-segment-source.js';
export { DEFAULT_TABLE, type QuotedTable, quotedTable } from './table-name.js';
export { type Grant, type Provenance, whoIssued } from './who-issued.js';
