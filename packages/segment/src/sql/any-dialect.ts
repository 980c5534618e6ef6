import type { RequestOptions } from '@ids/core';
import { anyDialect, type DialectOption, type SqlExecutor, type TableOptions } from '@ids/store';
import { guardedTables } from '@ids/store/guarded';
import { mysqlDialect } from '../mysql/dialect.js';
import { MYSQL_SEGMENT_COLUMNS, MYSQL_SEGMENTS } from '../mysql/schema.js';
import { postgresDialect } from '../postgres/dialect.js';
import { SEGMENT_COLUMNS, SEGMENTS } from '../postgres/schema.js';
import type {
  Reinstated,
  ReinstateOptions,
  ReservedSegment,
  ReserveOptions,
  SegmentSource,
  SequenceState,
} from '../segment-source.js';
import { sqliteDialect } from '../sqlite/dialect.js';
import { SQLITE_SEGMENTS } from '../sqlite/schema.js';
import type { CreatedSequence, CreateSequenceOptions, FloorOptions } from '../table/dialect.js';
import type { Provenance } from '../table/grant-log.js';
import { createSequenceIn, newSequence, setFloorIn, whoIssuedIn } from '../table/sequences.js';
import type { SqlSegmentSourceOptions } from '../table/source-options.js';
import { DEFAULT_TABLE } from '../table/wording.js';

const { of } = anyDialect({ postgres: postgresDialect, mysql: mysqlDialect, sqlite: sqliteDialect });

/** Reserves segments in a table, each by one UPDATE that is durable before its segment is used. */
export class SqlSegmentSource implements SegmentSource {
  readonly #source: SegmentSource & { noteUse?(name: string, options?: RequestOptions): Promise<void> };

  constructor(executor: SqlExecutor, options?: SqlSegmentSourceOptions) {
    this.#source = of(executor).source(executor, options);
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  describe(name: string, options?: RequestOptions): Promise<SequenceState> {
    return this.#source.describe(name, options);
  }

  reserve(name: string, size: number, options?: ReserveOptions): Promise<ReservedSegment> {
    return this.#source.reserve(name, size, options);
  }

  async reinstate(name: string, options: ReinstateOptions): Promise<Reinstated | undefined> {
    return this.#source.reinstate?.(name, options);
  }

  /**
   * Stores in the row of a sequence that it is used now, although nothing is reserved of it: by that, the
   * next reign knows for how long something may have been lost. It stores nothing in another reign than that
   * of the row, nor with groups, nor where the table has no columns for it. Twice, or later: as often.
   */
  async noteUse(name: string, options?: RequestOptions): Promise<void> {
    await this.#source.noteUse?.(name, options);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

// Those with the tag @function are listed among the functions of the API reference.

const segmentTables = guardedTables({
  defaultTable: DEFAULT_TABLE,
  postgres: { guarded: SEGMENTS, columns: SEGMENT_COLUMNS },
  mysql: { guarded: MYSQL_SEGMENTS, columns: MYSQL_SEGMENT_COLUMNS },
  sqlite: { guarded: SQLITE_SEGMENTS },
});

/**
 * The DDL of the segment table, for a migration: statements separated by semicolons. It is safe to run again,
 * also on a table of an older version, to which it adds what is missing; on MySQL no columns, which only
 * `ensureSchema` adds. Needs Postgres 14, MariaDB 10.6 or
 * MySQL 8.0.29, or later. The table rejects what could make a sequence issue an id twice: a lower `max_id`, a
 * renamed or deleted row and, on Postgres, TRUNCATE. A schema in the name must exist.
 * @function
 */
export const segmentSchema = segmentTables.schema;

/**
 * Creates the segment table with its guard, and the grant log if requested, unless they exist; then it
 * changes nothing and takes no lock on the table. Any number of processes may call it at the same time. No
 * generator calls it: a service with fewer rights applies `segmentSchema()` in a migration instead. Rejects
 * with `ERR_IDS_CONFIG`, which names the columns, if the table is of another shape; then nothing is changed.
 * On MySQL, columns are added under `LOCK TABLES`.
 * @function
 */
export const ensureSchema = segmentTables.ensure;

/**
 * What `ensureSchema` would create with the same options. It changes nothing, and needs no right on the
 * table; on MySQL the right TRIGGER, without which triggers cannot be seen. Rejects with a `WrongTableError`
 * for a table that `ensureSchema` would refuse.
 * @function
 */
export const missingSchema = segmentTables.missing;

/**
 * The least rights of a service's role, as SQL for a migration. The role can reserve and describe, and with
 * `log` its reservations are written to the log. It cannot create, rename or delete a sequence, nor read or
 * change the log, nor set the time in it. On MySQL the role is an account: `name`, or `name@host`.
 * @function
 */
export const segmentGrants = segmentTables.grants;

/**
 * The rights that the role of `executor` lacks on the table and, with `log`, on its grant log. None if there
 * is no such table.
 * @function
 */
export const lackingRights = segmentTables.lackingRights;

/**
 * Adds a sequence to the table, unless it exists; its first id is the one after `startAfter`. To continue
 * existing ids, start after the greatest of them. Rejects with `ERR_IDS_CONFIG` if the sequence exists with
 * other groups, if the server does not know the time zone or reads it differently from this process (`IST`)
 * or, on MySQL and SQLite, if it is neither UTC nor an offset.
 */
export async function createSequence(
  executor: SqlExecutor,
  name: string,
  options: CreateSequenceOptions = {},
): Promise<CreatedSequence> {
  return createSequenceIn(of(executor), executor, name, options);
}

/**
 * What `createSequence` does, with the same options, as SQL for a migration. It is safe to run again. It asks
 * no server about the time zone: a generator does when it opens the sequence.
 */
export function sequenceSql(name: string, options: CreateSequenceOptions & DialectOption = {}): string {
  return of(options).sequenceSql(newSequence(name, options));
}

/**
 * Raises a sequence so that every later id is above `floor`, unless it is already. After a failover or a
 * restore of the table, the next reservation still skips what it has to, above the floor, or is refused;
 * `checked` ends that. Of a family, it moves where new keys start, and no key that has ids. Resolves with the
 * resulting state.
 */
export async function setFloor(
  executor: SqlExecutor,
  name: string,
  floor: number,
  options: FloorOptions = {},
): Promise<SequenceState> {
  return setFloorIn(of(executor), executor, name, floor, options);
}

/**
 * Who reserved the segment that contains an id, and when. Rejects with `ERR_IDS_CONFIG` if there is no such
 * sequence or no log. Needs `SELECT` on both tables. Rejects with a `RangeError` unless `id` is a whole
 * number from 1 to 2^53 - 1.
 */
export async function whoIssued(
  executor: SqlExecutor,
  name: string,
  id: number | bigint,
  { table }: TableOptions = {},
): Promise<Provenance> {
  return whoIssuedIn(of(executor), executor, name, id, table);
}
