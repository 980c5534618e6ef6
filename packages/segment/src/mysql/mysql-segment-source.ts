import { randomBytes } from 'node:crypto';
import { IdError, type RequestOptions } from '@ids/core';
import { assertIdBound, assertSequenceName, LAST_ID } from '../segment.js';
import {
  assertReservable,
  DEFAULT_MAX_JUMP,
  noSuchSequence,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
  sequenceExhausted,
} from '../segment-source.js';
import type { Row } from '../sql/executor.js';
import { assertOwner, defaultOwner } from '../sql/grant-log.js';
import { refusedReservation } from '../sql/refusal.js';
import { newReignRefused, type Skips, skipsOf } from '../sql/reign.js';
import type { SqlSegmentSourceOptions } from '../sql/source-options.js';
import { readBigint } from '../sql/statements.js';
import { DEFAULT_TABLE } from '../sql/table-name.js';
import { assertMysqlDurable, FACTS_STATEMENTS, mysqlWarnings, readFacts } from './durability.js';
import { isCollision, isDenied, isMissingTable, mysqlError } from './errors.js';
import { endOfGroup, groupAt, inOneGroup } from './groups.js';
import type { MysqlExecutor } from './pool.js';
import { changeIn, mysqlSkips, reignsOf } from './reign.js';
import { readMysqlSequence } from './sequences.js';
import {
  type Crossing,
  type OpenGroup,
  type Reservation,
  readStatement,
  reserveStatement,
} from './statements.js';
import { inDatabase, type MysqlTable, mysqlTable } from './text.js';

/** A reservation without what is new for each statement. */
type Request = Omit<Reservation, 'grantId' | 'leftMs' | 'group'>;

/** Deadlocks and, with `innodb_snapshot_isolation`, changed rows: a few in a row where many collide. */
const ATTEMPTS = 10;

/** Reserves segments in a table of MySQL, each by one UPDATE that is durable before its segment is used. */
export class MysqlSegmentSource implements SegmentSource {
  readonly #executor: MysqlExecutor;
  /** With its database, as soon as a sequence was found there. */
  #table: MysqlTable;
  readonly #skips: Skips;
  readonly #maxJump: number;
  readonly #closeExecutor: boolean;
  /** The label in the log; undefined without one. */
  readonly #owner: string | undefined;
  /** The sequences that had groups when their rows were last read. */
  readonly #grouped = new Set<string>();

  constructor(executor: MysqlExecutor, options: SqlSegmentSourceOptions = {}) {
    const { table = DEFAULT_TABLE, maxJump = DEFAULT_MAX_JUMP, closeExecutor = false, log = false } = options;
    assertIdBound('maxJump', maxJump);
    const { owner = defaultOwner() } = options;
    assertOwner(owner);
    this.#executor = executor;
    this.#table = mysqlTable(table);
    this.#skips = mysqlSkips(skipsOf(options));
    this.#maxJump = maxJump;
    this.#closeExecutor = closeExecutor;
    this.#owner = log ? owner : undefined;
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(name: string, options: RequestOptions = {}): Promise<SequenceState> {
    assertSequenceName(name);
    const row = await this.#read(name, options);
    const found: Row[] = [];
    for (const text of FACTS_STATEMENTS) found.push(...(await this.#execute(text, options)));
    const facts = readFacts(found);
    assertMysqlDurable(row, facts, this.#table.name);
    if (this.#owner !== undefined) await this.#assertLog(options);
    const warnings = mysqlWarnings(row, facts, this.#table.name, this.#skips);
    return { ...readMysqlSequence(row), warnings };
  }

  async reserve(
    name: string,
    size: number,
    { floor, expectedMaxId, timeoutMs, ...request }: ReserveOptions = {},
  ): Promise<ReservedSegment> {
    assertReservable(name, size, { floor, expectedMaxId });
    const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    // Without its database, the table could be another one on each connection.
    if (this.#table.database === undefined) await this.#read(name, request);
    const wanted: Request = { name, size, floor, expectedMaxId, maxJump: this.#maxJump, owner: this.#owner };
    for (let attempt = 1; ; attempt++) {
      const plain = this.#grouped.has(name) ? undefined : await this.#plain(wanted, endsAt, request);
      const result = plain ?? (await this.#afterReading(wanted, endsAt, request));
      if (!(result instanceof IdError)) return result;
      // The row has changed between the statements: somebody else made progress. Or there is no time left.
      if (attempt === ATTEMPTS || (endsAt !== undefined && performance.now() >= endsAt)) throw result;
    }
  }

  async close(): Promise<void> {
    if (this.#closeExecutor) await this.#executor.close();
  }

  /** The row of a sequence that exists; notes whether it has groups. */
  async #read(name: string, options: RequestOptions): Promise<Row> {
    const table = this.#table;
    const [row] = await this.#execute(readStatement(table, name), options);
    if (row?.realm === undefined || row.realm === null) {
      throw noSuchSequence(name, `table ${table.name}`);
    }
    if (table.database === undefined) {
      const found = String(row.here_database);
      // Of several first reads, on connections with different defaults, only one decides.
      if (this.#table.database === undefined) this.#table = inDatabase(table, found);
      else if (this.#table.database !== found) return this.#read(name, options);
    }
    if (readMysqlSequence(row).group === undefined) this.#grouped.delete(name);
    else this.#grouped.add(name);
    return row;
  }

  /** The usual way: one statement, for a sequence without groups and of this reign. */
  async #plain(
    wanted: Request,
    endsAt: number | undefined,
    request: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    const high = await this.#update(wanted, endsAt, {}, request);
    return high === undefined ? undefined : { low: high - wanted.size + 1, high };
  }

  /**
   * Reads the sequence. Then reserves, if it has groups or is of another reign, with a statement that relies
   * on what was read; otherwise finds out why the usual way did not work. Resolves with the error if nothing
   * prevents a reservation now; rejects with it if something does.
   */
  async #afterReading(
    wanted: Request,
    endsAt: number | undefined,
    request: RequestOptions,
  ): Promise<ReservedSegment | IdError> {
    const { name, size, expectedMaxId } = wanted;
    const readAt = performance.now();
    const row = await this.#read(name, request);
    const sequence = readMysqlSequence(row);
    if (expectedMaxId !== undefined && sequence.maxId !== expectedMaxId) {
      throw new SequenceMovedError(name, expectedMaxId, sequence.maxId);
    }
    const now = Number(row.now_ms);
    const group = sequence.group && groupAt(sequence.group, now);
    const crossing = this.#crossing(name, row, sequence.maxId);
    if (crossing === undefined && group === undefined) return this.#whyNoRow(wanted, sequence);
    const high = await this.#update(wanted, endsAt, { group, crossing }, request);
    if (high === undefined) return this.#whyNoRow(wanted, sequence, group, crossing);
    return {
      low: high - size + 1,
      high,
      // The server read its clock after `readAt`, so this is early by at most one round trip.
      ...(group && { expiresAt: readAt + endOfGroup(group, high) - now }),
      ...(crossing && { newReign: { cause: crossing.cause, skipped: crossing.skip } }),
    };
  }

  /** How to go on in another reign; undefined in the same one. */
  #crossing(name: string, row: Row, maxId: number): Crossing | undefined {
    const cause = changeIn(row);
    if (cause === undefined) return undefined;
    const skip = this.#skips[cause];
    if (skip === null) throw newReignRefused(name, this.#table.name, cause, this.#skips);
    return { cause, maxId, skip, ...reignsOf(row) };
  }

  /** Runs one reservation and returns the last id; undefined if no row matched. */
  async #update(
    wanted: Request,
    endsAt: number | undefined,
    { group, crossing }: { readonly group?: OpenGroup | undefined; readonly crossing?: Crossing | undefined },
    { signal }: RequestOptions,
  ): Promise<number | undefined> {
    for (let attempt = 1; ; attempt++) {
      const grantId = randomBytes(16).toString('hex');
      const leftMs = endsAt && Math.max(0, endsAt - performance.now());
      const text = reserveStatement(this.#table, { ...wanted, grantId, leftMs, group }, crossing);
      try {
        const { high, logged } = await this.#executor.reserve(text, grantId, signal);
        if (high === undefined) return undefined;
        if (this.#owner !== undefined && !logged) throw this.#noLog('has no triggers');
        return readBigint(high);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt < ATTEMPTS && isCollision(error)) continue;
        throw mysqlError(error, this.#table.name);
      }
    }
  }

  async #execute(text: string, { signal }: RequestOptions): Promise<readonly Row[]> {
    try {
      return (await this.#executor.execute(text, [], signal)).rows;
    } catch (error) {
      signal?.throwIfAborted();
      throw mysqlError(error, this.#table.name);
    }
  }

  /**
   * Throws why a row that was read allows no reservation. If it does allow it, returns the error for a
   * statement that came too late.
   */
  #whyNoRow(wanted: Request, sequence: SequenceState, group?: OpenGroup, crossing?: Crossing): IdError {
    const { name, size, floor = 0 } = wanted;
    const highest = Math.max(sequence.maxId, group?.base ?? 0);
    const start = Math.max(highest, floor) + (crossing?.skip ?? 0);
    const standing = { stands_at: highest, group_limit: group?.limit };
    const refused = refusedReservation(wanted, standing, sequence);
    if (refused.code !== 'ERR_IDS_TIMEOUT') throw refused;
    if (group === undefined && start > LAST_ID - size) throw sequenceExhausted(name, size);
    // There would be room without the ids that are skipped.
    const fits = group === undefined || inOneGroup(group, start, size);
    if (!fits && crossing !== undefined)
      throw newReignRefused(name, this.#table.name, crossing.cause, this.#skips);
    return refused;
  }

  /** A service's account has no right on the log, and then cannot see it: its first reservation tells. */
  async #assertLog({ signal }: RequestOptions): Promise<void> {
    try {
      await this.#executor.execute(`SELECT 1 FROM ${this.#table.log} WHERE FALSE`, [], signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (isMissingTable(error)) throw this.#noLog('is missing');
      if (!isDenied(error)) throw mysqlError(error, this.#table.name);
    }
  }

  #noLog(fault: string): IdError {
    const { name } = this.#table;
    return new IdError(
      'ERR_IDS_CONFIG',
      `segment table ${name}: its grant log ${name}_log ${fault}; create it with ensureSchema({ log: true })`,
    );
  }
}
