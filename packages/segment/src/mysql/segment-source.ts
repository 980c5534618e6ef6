import { randomBytes } from 'node:crypto';
import { IdError, type RequestOptions } from '@ids/core';
import { assertIdBound, assertSequenceName, LAST_ID } from '../segment.js';
import {
  assertReservable,
  DEFAULT_MAX_JUMP,
  noSuchSequence,
  type Reigns,
  type ReservedSegment,
  type ReserveOptions,
  reignChanged,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
  sequenceExhausted,
} from '../segment-source.js';
import { readBigint, readOrigin, reignsText } from '../store/columns.js';
import type { Row } from '../store/executor.js';
import { assertOwner, defaultOwner } from '../store/grant-log.js';
import { refusedReservation, regressionRefused } from '../store/refusal.js';
import { newReignRefused, type Skips, skipsOf } from '../store/reign-change.js';
import type { SqlSegmentSourceOptions } from '../store/source-options.js';
import { DEFAULT_TABLE } from '../store/table-name.js';
import { assertMysqlDurable, FACTS_STATEMENTS, mysqlWarnings, readFacts } from './durability.js';
import { isCollision, isDenied, isMissingTable, mysqlError } from './errors.js';
import { endOfGroup, groupAt, inOneGroup } from './groups.js';
import type { MysqlExecutor } from './pool.js';
import { changeIn, historyOf, mysqlSkips, type RowHistory, reignsOf, withReignOf } from './reign.js';
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
type Request = Omit<Reservation, 'grantId' | 'leftMs' | 'group' | 'history' | 'newNames'>;

/** How a reservation is made that relies on what was read. */
interface AsRead {
  readonly history: RowHistory;
  readonly group?: OpenGroup | undefined;
  readonly crossing?: Crossing | undefined;
}

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
  /** What their rows said about their history. */
  readonly #histories = new Map<string, RowHistory>();

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
    const pending = changeIn(row);
    return { ...readMysqlSequence(row), ...(pending && { pending }), warnings };
  }

  async reserve(
    name: string,
    size: number,
    { floor, within, expectedMaxId, timeoutMs, ...request }: ReserveOptions = {},
  ): Promise<ReservedSegment> {
    assertReservable(name, size, { floor, expectedMaxId });
    const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    // Without its database, the table could be another one on each connection.
    if (this.#table.database === undefined) await this.#read(name, request);
    const bounds = { floor, expectedMaxId, maxJump: this.#maxJump, loss: this.#skips.restore };
    const wanted: Request = { name, size, ...bounds, owner: this.#owner };
    for (let attempt = 1; ; attempt++) {
      const history = this.#grouped.has(name) ? undefined : this.#histories.get(name);
      // A floor follows what was read a moment ago.
      const usual = history !== undefined && floor === undefined;
      const plain = usual ? await this.#update(wanted, endsAt, { history }, request) : undefined;
      const result = plain ?? (await this.#afterReading(wanted, within, endsAt, request));
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
    this.#histories.set(name, historyOf(row));
    if (readMysqlSequence(row).group === undefined) this.#grouped.delete(name);
    else this.#grouped.add(name);
    return row;
  }

  /**
   * Reads the sequence and reserves with a statement that relies on what was read. Resolves with the error if
   * nothing prevents a reservation now; rejects with it if something does.
   */
  async #afterReading(
    wanted: Request,
    within: Reigns | undefined,
    endsAt: number | undefined,
    request: RequestOptions,
  ): Promise<ReservedSegment | IdError> {
    const { name, expectedMaxId } = wanted;
    const readAt = performance.now();
    const row = await this.#read(name, request);
    const sequence = readMysqlSequence(row);
    if (expectedMaxId !== undefined && sequence.maxId !== expectedMaxId) {
      const beginsReign = changeIn(row) !== undefined;
      throw new SequenceMovedError(name, expectedMaxId, sequence.maxId, sequence, beginsReign);
    }
    if (within !== undefined && reignsText(sequence.reigns) !== reignsText(within)) {
      throw reignChanged(name, this.#table.name);
    }
    const now = Number(row.now_ms);
    const group = sequence.group && groupAt(sequence.group, now);
    const crossing = this.#crossing(name, row, sequence.maxId);
    if (wanted.floor !== undefined && wanted.floor > sequence.maxId && wanted.loss === null) {
      throw regressionRefused(name, this.#table.name, sequence.maxId, wanted.floor);
    }
    // Nobody would use it.
    if (endsAt !== undefined && performance.now() >= endsAt) {
      return this.#whyNoRow(wanted, sequence, group, crossing);
    }
    const history = historyOf(row);
    const reserved = await this.#update(wanted, endsAt, { history, group, crossing }, request);
    if (reserved === undefined) return this.#whyNoRow(wanted, sequence, group, crossing);
    return {
      ...reserved,
      // The server read its clock after `readAt`, so this is early by at most one round trip.
      ...(group && { expiresAt: readAt + endOfGroup(group, reserved.high) - now }),
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

  /** Runs one reservation; undefined if no row matched. */
  async #update(
    wanted: Request,
    endsAt: number | undefined,
    { history, group, crossing }: AsRead,
    { signal }: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    for (let attempt = 1; ; attempt++) {
      const grantId = randomBytes(16).toString('hex');
      const leftMs = endsAt && Math.max(0, endsAt - performance.now());
      const begins = crossing !== undefined || history.names === null;
      const newNames = begins ? withReignOf(history.server, grantId, history.names) : undefined;
      const reservation = { ...wanted, history, newNames, grantId, leftMs, group };
      const text = reserveStatement(this.#table, reservation, crossing);
      try {
        const { high, logged } = await this.#executor.reserve(text, grantId, signal);
        if (high === undefined) return undefined;
        if (this.#owner !== undefined && !logged) throw this.#noLog('has no triggers');
        const last = readBigint(high, 'max_id');
        const { realm, names } = { ...history, ...(newNames !== undefined && { names: newNames }) };
        this.#histories.set(wanted.name, { ...history, names });
        return { low: last - wanted.size + 1, high: last, origin: readOrigin({ realm, reigns: names }) };
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
    const loss = floor > highest ? (wanted.loss ?? 0) : 0;
    const start = Math.max(highest, floor) + Math.max(crossing?.skip ?? 0, loss);
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

  /**
   * A service's account has no right on the log, and then cannot see it: its first reservation shows whether
   * the log is there.
   */
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
