import { IdError, type RequestOptions } from '@ids/core';
import { assertIdBound, assertSegmentSize } from '../segment-size.js';
import {
  DEFAULT_MAX_JUMP,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  type Sequence,
} from '../segment-source.js';
import { assertSequenceName } from '../sequence-name.js';
import { noSuchSequence, sequenceExhausted } from '../source-errors.js';
import { assertDurable, type DurabilityCheck, durabilityWarnings } from './durability.js';
import { assertOwner, defaultOwner } from './owner.js';
import { type Row, readBigint, readSequence } from './read-row.js';
import { refusedReservation } from './refused-reservation.js';
import type { TableOptions } from './segment-schema.js';
import { isOutOfRange, isSerializationFailure, sqlError } from './sql-error.js';
import type { SqlExecutor, SqlResult } from './sql-executor.js';
import { type Statements, statementsFor, withLog } from './statements.js';
import { DEFAULT_TABLE, logTableOf, quotedTable } from './table-name.js';

/** Whether and for whom reservations are written down. */
export interface LogOptions {
  /** Whether each reservation is entered into the grant log, in the same statement; default false. `whoIssued` reads it. */
  readonly log?: boolean | undefined;
  /** Who draws the segments, for the log: any label of 1 to 255 characters, such as a gpid; default `host:pid`. */
  readonly owner?: string | undefined;
}

export interface SqlSegmentSourceOptions extends TableOptions, LogOptions {
  /** How far `max_id` may be raised to mend a table that went back, in ids; default 10^9. Further is `ERR_IDS_REGRESSED`. */
  readonly maxJump?: number;
  /** Whether `close` closes the executor; default false: whoever opened it closes it. */
  readonly closeExecutor?: boolean;
}

/** Under REPEATABLE READ a row that many processes raise may collide a few times in a row. */
const SERIALIZATION_ATTEMPTS = 10;

/**
 * The text of Postgres, and the function it comes from, for servers that speak another language. The commit then
 * stands on this server only: a standby that takes over would reserve the same segment again.
 */
const MAYBE_NOT_REPLICATED = /might not have been replicated|SyncRepWaitForLSN/;

/** Segments reserved in a Postgres table, each by one UPDATE that is durable before its segment is used. */
export class SqlSegmentSource implements SegmentSource {
  readonly #executor: SqlExecutor;
  readonly #statements: Statements;
  readonly #maxJump: number;
  readonly #closeExecutor: boolean;
  readonly #check: DurabilityCheck;
  /** The label in the log; undefined without one. */
  readonly #owner: string | undefined;

  constructor(executor: SqlExecutor, options: SqlSegmentSourceOptions = {}) {
    const { table = DEFAULT_TABLE, maxJump = DEFAULT_MAX_JUMP, closeExecutor = false, log = false } = options;
    assertIdBound('maxJump', maxJump);
    const { owner = defaultOwner() } = options;
    assertOwner(owner);
    this.#executor = executor;
    this.#statements = statementsFor(table);
    this.#maxJump = maxJump;
    this.#closeExecutor = closeExecutor;
    const embedded = executor.embedded === true;
    this.#check = { table, embedded, log: log ? logTableOf(table) : undefined };
    this.#owner = log ? owner : undefined;
  }

  /** Also rejects with `ERR_IDS_CONFIG` when the store could lose what it reserved, or cannot reserve at all. */
  async describe(name: string, options?: RequestOptions): Promise<Sequence> {
    assertSequenceName(name);
    const row = await this.#read(name, options);
    const warnings = durabilityWarnings(row, this.#check);
    return { ...readSequence(row), ...(warnings.length > 0 && { warnings }) };
  }

  async reserve(
    name: string,
    size: number,
    { floor, ...request }: ReserveOptions = {},
  ): Promise<ReservedSegment> {
    assertSequenceName(name);
    assertSegmentSize(size);
    if (floor !== undefined) assertIdBound('floor', floor);
    // Before it is sent: what is left of a group counts from then on, so that its ids never outlive it.
    const sentAt = performance.now();
    const result = await this.#update(name, size, floor, request);
    const [row] = result.rows;
    if (row === undefined) throw await this.#whyNoRow(name, size, floor, request);
    const high = readBigint(row.max_id);
    const segment = { low: high - size + 1, high };
    if (result.notices.some((notice) => MAYBE_NOT_REPLICATED.test(notice))) {
      throw new IdError(
        'ERR_IDS_UNAVAILABLE',
        `sequence ${JSON.stringify(name)}: ${segment.low}..${segment.high} is not used, since its reservation might not have been replicated`,
      );
    }
    const { left_ms: leftMs } = row;
    return leftMs === null ? segment : { ...segment, expiresAt: sentAt + Number(leftMs) };
  }

  async close(): Promise<void> {
    if (this.#closeExecutor) await this.#executor.close();
  }

  /** The row of a sequence that exists, on a server that is fit. */
  async #read(name: string, options: RequestOptions | undefined): Promise<Row> {
    const { table, log } = this.#check;
    const values = [name, quotedTable(table).table, log === undefined ? null : quotedTable(log).table];
    const [row] = (await this.#execute(this.#statements.describe, values, options)).rows;
    assertDurable(row, this.#check);
    if (row?.realm === undefined || row.realm === null) throw noSuchSequence(name, `table ${table}`);
    return row;
  }

  async #update(
    name: string,
    size: number,
    floor: number | undefined,
    request: RequestOptions,
  ): Promise<SqlResult> {
    const { reserve, heal } = this.#statements;
    try {
      return floor === undefined
        ? await this.#executeLogged(reserve, [name, size], request)
        : await this.#executeLogged(heal, [name, size, floor, this.#maxJump], request);
    } catch (error) {
      throw isOutOfRange((error as Error).cause) ? sequenceExhausted(name, size, error) : error;
    }
  }

  #executeLogged(text: string, values: readonly unknown[], request: RequestOptions): Promise<SqlResult> {
    if (this.#owner === undefined) return this.#execute(text, values, request);
    const logged = withLog(text, this.#check.table, `$${values.length + 1}`);
    return this.#execute(logged, [...values, this.#owner], request);
  }

  async #execute(
    text: string,
    values: readonly unknown[],
    { signal }: RequestOptions = {},
  ): Promise<SqlResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#executor.execute(text, values, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt < SERIALIZATION_ATTEMPTS && isSerializationFailure(error)) continue;
        throw sqlError(error, this.#check.table);
      }
    }
  }

  async #whyNoRow(
    name: string,
    size: number,
    floor: number | undefined,
    request: RequestOptions,
  ): Promise<IdError> {
    const row = await this.#read(name, request);
    const { table } = this.#check;
    return refusedReservation({ name, table, size, floor, maxJump: this.#maxJump }, row, readSequence(row));
  }
}
