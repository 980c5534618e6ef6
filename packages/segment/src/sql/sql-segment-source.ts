import { IdError, type RequestOptions } from '@ids/core';
import { LAST_ID, type Segment } from '../segment.js';
import { assertIdBound, assertSegmentSize } from '../segment-size.js';
import {
  DEFAULT_MAX_JUMP,
  type ReserveOptions,
  type SegmentSource,
  type Sequence,
} from '../segment-source.js';
import { assertSequenceName } from '../sequence-name.js';
import { jumpTooFar, noSuchSequence, sequenceExhausted } from '../source-errors.js';
import type { TableOptions } from './segment-schema.js';
import { isOutOfRange, isSerializationFailure, sqlError } from './sql-error.js';
import type { SqlExecutor, SqlResult } from './sql-executor.js';
import { type Statements, statementsFor } from './statements.js';
import { DEFAULT_TABLE, quotedTable } from './table-name.js';

export interface SqlSegmentSourceOptions extends TableOptions {
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
  readonly #table: string;
  readonly #statements: Statements;
  readonly #maxJump: number;
  readonly #closeExecutor: boolean;

  constructor(executor: SqlExecutor, options: SqlSegmentSourceOptions = {}) {
    const { table = DEFAULT_TABLE, maxJump = DEFAULT_MAX_JUMP, closeExecutor = false } = options;
    assertIdBound('maxJump', maxJump);
    this.#executor = executor;
    this.#table = table;
    this.#statements = statementsFor(table);
    this.#maxJump = maxJump;
    this.#closeExecutor = closeExecutor;
  }

  /** Also rejects with `ERR_IDS_CONFIG` when the store could lose what it reserved, or cannot reserve at all. */
  async describe(name: string, options?: RequestOptions): Promise<Sequence> {
    assertSequenceName(name);
    const { table } = quotedTable(this.#table);
    const { rows } = await this.#execute(this.#statements.describe, [name, table], options);
    const [row] = rows;
    this.#assertDurable(row);
    if (row?.realm === undefined || row.realm === null) throw this.#noSuchSequence(name);
    return { realm: String(row.realm), maxId: readBigint(row.max_id) };
  }

  async reserve(name: string, size: number, { floor, ...request }: ReserveOptions = {}): Promise<Segment> {
    assertSequenceName(name);
    assertSegmentSize(size);
    if (floor !== undefined) assertIdBound('floor', floor);
    const result = await this.#update(name, size, floor, request);
    const [row] = result.rows;
    if (row === undefined) throw await this.#whyNoRow(name, floor, request);
    const high = readBigint(row.max_id);
    const segment = { low: high - size + 1, high };
    if (result.notices.some((notice) => MAYBE_NOT_REPLICATED.test(notice))) {
      throw new IdError(
        'ERR_IDS_UNAVAILABLE',
        `sequence ${JSON.stringify(name)}: ${segment.low}..${segment.high} is not used, since its reservation might not have been replicated`,
      );
    }
    return segment;
  }

  async close(): Promise<void> {
    if (this.#closeExecutor) await this.#executor.close();
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
        ? await this.#execute(reserve, [name, size], request)
        : await this.#execute(heal, [name, size, floor, this.#maxJump], request);
    } catch (error) {
      throw isOutOfRange((error as Error).cause) ? sequenceExhausted(name, size, error) : error;
    }
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
        throw sqlError(error, this.#table);
      }
    }
  }

  async #whyNoRow(name: string, floor: number | undefined, request: RequestOptions): Promise<IdError> {
    if (floor === undefined) return this.#noSuchSequence(name);
    const { maxId } = await this.describe(name, request);
    return jumpTooFar(name, maxId, floor, this.#maxJump);
  }

  #noSuchSequence(name: string): IdError {
    return noSuchSequence(name, `table ${this.#table}`);
  }

  #assertDurable(row: SqlResult['rows'][number] | undefined): void {
    const fault =
      row === undefined || row.relpersistence !== 'p'
        ? 'it is not a permanent table, so a crash empties it'
        : row.in_recovery === true
          ? 'the server is a standby; connect to the primary'
          : row.fsync !== 'on' && this.#executor.embedded !== true
            ? 'the server runs with fsync off, so a crash loses reservations'
            : undefined;
    if (fault !== undefined) {
      throw new IdError('ERR_IDS_CONFIG', `segment table ${this.#table} cannot be used: ${fault}`);
    }
  }
}

/** Drivers give a BIGINT as a string, a bigint or, with a parser of the user's, a number. */
export function readBigint(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0 || String(number) !== String(value)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `max_id must be a whole number from 0 to ${LAST_ID}, got ${String(value)}`,
    );
  }
  return number;
}
