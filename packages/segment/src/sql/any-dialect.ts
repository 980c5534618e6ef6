import type { RequestOptions } from '@ids/core';
import { mysqlDialect } from '../mysql/dialect.js';
import { isMysqlExecutor } from '../mysql/pool.js';
import { postgresDialect } from '../postgres/dialect.js';
import type { ReservedSegment, ReserveOptions, SegmentSource, SequenceState } from '../segment-source.js';
import type {
  CreatedSequence,
  CreateSequenceOptions,
  Dialect,
  DialectOption,
  FloorOptions,
  LackingRights,
  SchemaOptions,
  SchemaPart,
} from '../store/dialect.js';
import type { SqlExecutor } from '../store/executor.js';
import type { Provenance } from '../store/grant-log.js';
import type { SqlSegmentSourceOptions } from '../store/source-options.js';
import type { TableOptions } from '../store/table-name.js';

/** Runs `use` with the dialect of an executor. */
function inDialectOf<T>(
  executor: SqlExecutor,
  use: <E extends SqlExecutor>(dialect: Dialect<E>, executor: E) => T,
): T {
  return isMysqlExecutor(executor) ? use(mysqlDialect, executor) : use(postgresDialect, executor);
}

/** Reserves segments in a table, each by one UPDATE that is durable before its segment is used. */
export class SqlSegmentSource implements SegmentSource {
  readonly #source: SegmentSource;

  constructor(executor: SqlExecutor, options?: SqlSegmentSourceOptions) {
    this.#source = inDialectOf(executor, (dialect, its) => dialect.source(its, options));
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  describe(name: string, options?: RequestOptions): Promise<SequenceState> {
    return this.#source.describe(name, options);
  }

  reserve(name: string, size: number, options?: ReserveOptions): Promise<ReservedSegment> {
    return this.#source.reserve(name, size, options);
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}

/**
 * The DDL of the segment table, for a migration: statements separated by semicolons. It is safe to run again,
 * also on a table of an older version, to which it adds what is missing. Needs Postgres 14, MariaDB 10.6 or
 * MySQL 8.0.29, or later. The table rejects what could make a sequence issue an id twice: a lower `max_id`, a
 * renamed or deleted row and, on Postgres, TRUNCATE. A schema in the name must exist.
 */
export function segmentSchema(
  table?: string,
  { dialect, ...options }: Omit<SchemaOptions, 'table'> & DialectOption = {},
): string {
  return textsOf(dialect).segmentSchema(table, options);
}

/**
 * Creates the segment table with its guard, and the grant log if requested, unless they exist; then it
 * changes nothing and takes no lock on the table. Any number of processes may call it at the same time. No
 * generator calls it: a service with fewer rights applies `segmentSchema()` in a migration instead. Rejects
 * with `ERR_IDS_CONFIG`, which names the columns, if the table is of another shape; then nothing is changed.
 */
export function ensureSchema(executor: SqlExecutor, options?: SchemaOptions): Promise<void> {
  return inDialectOf(executor, (dialect, its) => dialect.ensureSchema(its, options));
}

/**
 * What `ensureSchema` would create with the same options. It changes nothing, and needs no right on the
 * table; on MySQL the right TRIGGER, without which triggers cannot be seen. Rejects with a `WrongTableError`
 * for a table that `ensureSchema` would refuse.
 */
export function missingSchema(executor: SqlExecutor, options?: SchemaOptions): Promise<SchemaPart[]> {
  return inDialectOf(executor, (dialect, its) => dialect.missingSchema(its, options));
}

/**
 * The least rights of a service's role, as SQL for a migration. The role can reserve and describe, and with
 * `log` its reservations are written to the log. It cannot create, rename or delete a sequence, nor read or
 * change the log, nor set the time in it. On MySQL the role is an account: `name`, or `name@host`.
 */
export function segmentGrants(
  role: string,
  { dialect, ...options }: SchemaOptions & DialectOption = {},
): string {
  return textsOf(dialect).segmentGrants(role, options);
}

/**
 * The rights that the role of `executor` lacks on the table and, with `log`, on its grant log. None if there
 * is no such table.
 */
export function lackingRights(executor: SqlExecutor, options?: SchemaOptions): Promise<LackingRights> {
  return inDialectOf(executor, (dialect, its) => dialect.lackingRights(its, options));
}

/**
 * Adds a sequence to the table, unless it exists; its first id is the one after `startAfter`. To continue
 * existing ids, start after the greatest of them. Rejects with `ERR_IDS_CONFIG` if the sequence exists with
 * other groups, if the server does not know the time zone or, on MySQL, if it is neither UTC nor an offset.
 */
export function createSequence(
  executor: SqlExecutor,
  name: string,
  options?: CreateSequenceOptions,
): Promise<CreatedSequence> {
  return inDialectOf(executor, (dialect, its) => dialect.createSequence(its, name, options));
}

/** What `createSequence` does, with the same options, as SQL for a migration. It is safe to run again. */
export function sequenceSql(
  name: string,
  { dialect, ...options }: CreateSequenceOptions & DialectOption = {},
): string {
  return textsOf(dialect).sequenceSql(name, options);
}

/**
 * Raises a sequence so that every later id is above `floor`, unless it is already. After a failover or a
 * restore of the table, the next reservation still skips what it has to, above the floor, or is refused;
 * `checked` ends that. Resolves with the resulting state.
 */
export function setFloor(
  executor: SqlExecutor,
  name: string,
  floor: number,
  options?: FloorOptions,
): Promise<SequenceState> {
  return inDialectOf(executor, (dialect, its) => dialect.setFloor(its, name, floor, options));
}

/**
 * Who reserved the segment that contains an id, and when. Rejects with `ERR_IDS_CONFIG` if there is no such
 * sequence or no log. Needs `SELECT` on both tables. Rejects with a `RangeError` unless `id` is a whole
 * number from 1 to 2^53 - 1.
 */
export function whoIssued(
  executor: SqlExecutor,
  name: string,
  id: number | bigint,
  options?: TableOptions,
): Promise<Provenance> {
  return inDialectOf(executor, (dialect, its) => dialect.whoIssued(its, name, id, options));
}

function textsOf(
  dialect: DialectOption['dialect'],
): Pick<Dialect, 'segmentSchema' | 'segmentGrants' | 'sequenceSql'> {
  return dialect === 'mysql' ? mysqlDialect : postgresDialect;
}
