import type { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import type { Check } from '../checks/check.js';
import type { FoundColumn, ReadColumn } from '../columns/found-column.js';

/** What a role was not allowed to do. */
export interface Refused {
  /** In words: `create table id_segment`. */
  readonly what: string;
  readonly right: 'ALTER' | 'CREATE' | 'CREATE SCHEMA' | 'INSERT' | 'SELECT';
  readonly table: string;
  /** What somebody who may runs instead: SQL, or where to read it. */
  readonly instead?: string;
}

interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What somebody runs instead of a command that creates tables and rows. */
export const DRY_RUN = 'the output of npx --no -- ids apply --dry-run';

/** What a role may see and do. */
export interface Roles {
  /** Whether the role sees the guards and the logs of a table, if they are there. */
  seesGuards(database: SqlExecutor): Promise<boolean>;
  /** Whether the server may hide rows of the table from the role. */
  hidesRows(database: SqlExecutor, table: string): Promise<boolean>;
  /** Whether an error of the driver, or one that it caused, says that the role lacks a right. */
  isDenied(error: unknown): boolean;
  /** The error that names the role, and how it gets the right. `error` must be one of `isDenied`. */
  denied(database: SqlExecutor, error: unknown, refused: Refused): Promise<IdError>;
}

/** An ID of a sequence as text, which ends at 2^53 - 1: no leading zeros, at most 16 digits. */
export const DECIMAL = '^[1-9][0-9]{0,15}$';

/** What the commands ask and say in another way on each kind of database. */
export interface Dialect {
  /** Which platform the server is, whether it answers, as which role, and whether its clock agrees. */
  serverChecks(database: SqlExecutor): Promise<Check[]>;

  /** Absent where there are none, as in a file. */
  readonly roles?: Roles;
  /** Whether the description of a segment table itself reports guards that it lacks. */
  readonly describesGuards: boolean;
  /** Whether a command creates the schema in the name of a table. */
  readonly createsSchemas: boolean;

  /** The name of a table, quoted. Throws `ERR_IDS_CONFIG` for anything else. */
  quoted(table: string): string;
  readonly readColumn: ReadColumn;
  /** Queries the greatest number up to 2^53 - 1 that a column holds as text: `max`, as text. */
  greatestDecimal(column: FoundColumn['sql']): string;
  /**
   * Queries up to `most` texts of a column that match a regular expression, the longest and last ones first:
   * `id`. Throws `ERR_IDS_CONFIG` if the database has none.
   */
  examples(found: FoundColumn, pattern: string, most: number): Query;
  /** The type as which CAST writes an integer in decimal digits. */
  readonly digits: 'text' | 'char';

  /**
   * Does `work` in a transaction in which `seedWithin` can run, on a connection of its own, which waits for a
   * lock for `WAIT_SECONDS`. Commits if it resolves, and otherwise rolls back.
   */
  inTransaction<T>(database: unknown, work: (tx: object) => Promise<T>): Promise<T>;
  /** Statements after which one that alters a table waits no longer than others in that transaction. */
  readonly beforeAltering: readonly string[];
  /** Whether a statement has waited too long for a lock. */
  gaveUp(error: unknown): boolean;
}
