// For programs on Postgres whose bundle shall contain nothing for other databases. `@ids/segment/sql` has the
// same for all of them.
import { ensureGuardedTable, guardedTableSchema, missingParts } from '@ids/store/postgres';
import { functionsOf } from '../table/one-dialect.js';
import { postgresDialect } from './dialect.js';
import { SEGMENTS } from './schema.js';

export type { SqlExecutor } from '@ids/store';
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
export type { CreatedSequence, CreateSequenceOptions, FloorOptions } from '../table/dialect.js';
export type { Provenance } from '../table/grant-log.js';
export type { SqlSegmentSourceOptions } from '../table/source-options.js';
export { PostgresSegmentSource } from './segment-source.js';

const functions = functionsOf(postgresDialect, {
  schema: (...given) => guardedTableSchema(SEGMENTS, ...given),
  ensure: (...given) => ensureGuardedTable(SEGMENTS, ...given),
  missing: (...given) => missingParts(SEGMENTS, ...given),
});

/**
 * As `segmentSchema` of `@ids/segment/sql`: the DDL of the table, for a migration.
 * @function
 */
export const segmentSchema = functions.segmentSchema;

/**
 * As `ensureSchema` of `@ids/segment/sql`: creates the table with its guards, unless it exists. Any number of
 * processes may call it at the same time.
 * @function
 */
export const ensureSchema = functions.ensureSchema;

/**
 * As `missingSchema` of `@ids/segment/sql`: what `ensureSchema` would create.
 * @function
 */
export const missingSchema = functions.missingSchema;

/**
 * As `createSequence` of `@ids/segment/sql`: adds a sequence, unless it exists.
 * @function
 */
export const createSequence = functions.createSequence;

/**
 * What `createSequence` does, as SQL for a migration. It is safe to run again.
 * @function
 */
export const sequenceSql = functions.sequenceSql;

/**
 * As `setFloor` of `@ids/segment/sql`: raises a sequence so that every later id is above `floor`, as after a
 * restore that nothing shows.
 * @function
 */
export const setFloor = functions.setFloor;

/**
 * As `whoIssued` of `@ids/segment/sql`: who reserved the segment that contains an id.
 * @function
 */
export const whoIssued = functions.whoIssued;
