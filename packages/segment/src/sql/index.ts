export {
  type OpenedSource,
  openSource,
  openSqlSource,
  type SourceOptions,
  type SqlSourceOptions,
} from './open-source.js';
export {
  fromPg,
  fromPgUrl,
  type PgPoolClientLike,
  type PgPoolLike,
  type PgUrlOptions,
} from './pg-executor.js';
export { fromPglite, type PgliteLike } from './pglite-executor.js';
export { segmentOptionsSchema } from './segment-options-schema.js';
export { ensureSchema, segmentSchema, type TableOptions } from './segment-schema.js';
export { type CreatedSequence, createSequence, setFloor } from './sequences.js';
export type { SqlExecutor, SqlResult } from './sql-executor.js';
export { SqlSegmentSource, type SqlSegmentSourceOptions } from './sql-segment-source.js';
