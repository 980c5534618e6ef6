// For keys in databases of SQLite that are reached without a file, such as those of a Worker: no module of
// Node.js, and nothing for other databases. `@ids/keyed/sql` has the same for all of them.
import { sqliteDialect } from './dialect.js';

export type { DeleteKeyOptions } from '../table/dialect.js';
export type { DescribeKeyOptions, KeyDescription, RaiseKeyOptions } from '../table/one-key.js';
export type { SqlKeyedSourceOptions } from '../table/options.js';
export { SqliteKeyedSource } from './keyed-source.js';

/**
 * As `keyedSchema` of `@ids/keyed/sql`: the DDL of both tables, for a migration.
 * @function
 */
export const keyedSchema = sqliteDialect.keyedSchema;

/**
 * As `ensureKeyedSchema` of `@ids/keyed/sql`: creates both tables with their guards, unless they exist. Any
 * number of processes may call it at the same time.
 * @function
 */
export const ensureKeyedSchema = sqliteDialect.ensureKeyedSchema;

/**
 * As `missingKeyedSchema` of `@ids/keyed/sql`: what `ensureKeyedSchema` would create.
 * @function
 */
export const missingKeyedSchema = sqliteDialect.missingKeyedSchema;

/**
 * As `describeKey` of `@ids/keyed/sql`: where a key stands, and what its next reservation would skip.
 * @function
 */
export const describeKey = sqliteDialect.describeKey;

/**
 * As `raiseKey` of `@ids/keyed/sql`: raises a key so that every later id is above `floor`, as after a restore
 * that nothing shows.
 * @function
 */
export const raiseKey = sqliteDialect.raiseKey;

/**
 * As `deleteKey` of `@ids/keyed/sql`: deletes a key for good.
 * @function
 */
export const deleteKey = sqliteDialect.deleteKey;

/**
 * As `whoIssued` of `@ids/keyed/sql`: who reserved an id of a key, and when.
 * @function
 */
export const whoIssued = sqliteDialect.whoIssued;
