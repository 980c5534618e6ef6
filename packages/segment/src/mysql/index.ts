// For programs on MySQL or MariaDB whose bundle shall contain nothing for other databases.
// `@ids/segment/sql` has the same for all of them.
import { ensureMysqlTable, missingMysqlParts, mysqlGuardedSchema } from '@ids/store/mysql';
import { functionsOf } from '../table/one-dialect.js';
import { mysqlDialect } from './dialect.js';
import { MYSQL_SEGMENTS } from './schema.js';

export {
  fromMysql,
  fromMysqlUrl,
  type MysqlExecutor,
  type MysqlPoolLike,
  type MysqlUrlOptions,
} from '@ids/store/mysql';
export type { CreatedSequence, CreateSequenceOptions, FloorOptions } from '../table/dialect.js';
export type { Provenance } from '../table/grant-log.js';
export type { SqlSegmentSourceOptions } from '../table/source-options.js';
export { MysqlSegmentSource } from './segment-source.js';

const functions = functionsOf(mysqlDialect, {
  schema: (...given) => mysqlGuardedSchema(MYSQL_SEGMENTS, ...given),
  ensure: (...given) => ensureMysqlTable(MYSQL_SEGMENTS, ...given),
  missing: (...given) => missingMysqlParts(MYSQL_SEGMENTS, ...given),
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
