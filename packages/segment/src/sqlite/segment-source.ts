import { IdError, type RequestOptions } from '@ids/core';
import {
  assertSequenceName,
  pendingChange,
  pendingState,
  type Row,
  readOrigin,
  readWholeNumber,
  reignsText,
  skipAfter,
} from '@ids/store';
import {
  missingSqliteParts,
  type SqliteExecutor,
  type SqliteTable,
  type SqliteTableSql,
  sqliteChangeIn,
  sqliteTable,
  sqliteTableSql,
} from '@ids/store/sqlite';
import { endOfGroup, groupAt } from '../groups/group-clock.js';
import {
  assertReservable,
  noSuchSequence,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  type SequenceState,
} from '../segment-source.js';
import { assertExpected, changeToCross, whyNoRow } from '../table/read-first.js';
import { tooLate } from '../table/refusal.js';
import { sequenceIn } from '../table/sequence-row.js';
import {
  type SourceSettings,
  type SqlSegmentSourceOptions,
  sourceSettings,
} from '../table/source-options.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import { SQLITE_SEGMENTS } from './schema.js';
import { type AsRead, type Reservation, readStatement, reserveStatement } from './statements.js';

/** How often a row may change between reading it and reserving, which a new reign or group does. */
const ATTEMPTS = 10;

/** Reserves segments in a table of SQLite, each by one UPDATE that is durable before its segment is used. */
export class SqliteSegmentSource implements SegmentSource {
  readonly #executor: SqliteExecutor;
  readonly #sql: SqliteTableSql;
  readonly #table: SqliteTable;
  readonly #settings: SourceSettings;
  /** The sequences that had groups when their rows were last read. */
  readonly #grouped = new Set<string>();

  constructor(executor: SqliteExecutor, options: SqlSegmentSourceOptions = {}) {
    this.#settings = sourceSettings(options);
    const { table } = this.#settings;
    this.#executor = executor;
    this.#sql = sqliteTableSql(executor, table, SEGMENT_TABLE);
    this.#table = sqliteTable(table);
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(name: string, options: RequestOptions = {}): Promise<SequenceState> {
    assertSequenceName(name);
    const home = await this.#sql.home(options);
    const row = await this.#read(name, options);
    await this.#assertLog();
    const change = sqliteChangeIn(row, home.id);
    const about = `${SEGMENT_TABLE.what} ${this.#table.name}`;
    const warnings = [
      ...home.warnings,
      ...(change === undefined ? [] : [`${about}: ${pendingChange(change, this.#settings.skips)}`]),
    ];
    return {
      ...sequenceIn(row),
      ...(change && pendingState(change, this.#settings.skips)),
      ...(warnings.length > 0 && { warnings }),
    };
  }

  async reserve(
    name: string,
    size: number,
    { floor, within, expectedMaxId, timeoutMs, signal }: ReserveOptions = {},
  ): Promise<ReservedSegment> {
    assertReservable(name, size, { floor, expectedMaxId });
    const { maxJump, skips, owner } = this.#settings;
    const wanted: Reservation = {
      name,
      size,
      floor,
      expectedMaxId,
      within,
      maxJump,
      loss: skipAfter('restore', skips),
      owner,
    };
    const overdue = timeoutMs === undefined ? undefined : AbortSignal.timeout(Math.ceil(timeoutMs));
    const signals = [signal, overdue].filter((one) => one !== undefined);
    const request = signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
    try {
      return await this.#reserve(wanted, request);
    } catch (error) {
      if (!overdue?.aborted || signal?.aborted || error !== overdue.reason) throw error;
      throw tooLate(name);
    }
  }

  async close(): Promise<void> {
    if (this.#settings.closeExecutor) await this.#executor.close();
  }

  async #reserve(wanted: Reservation, request: RequestOptions): Promise<ReservedSegment> {
    const { name, floor, within } = wanted;
    for (let attempt = 1; ; attempt++) {
      const { id: home } = await this.#sql.home(request);
      // A floor follows what was read a moment ago.
      const usual = floor === undefined && !this.#grouped.has(name);
      const reigns = reignsText(within?.reigns);
      const plain = usual ? await this.#update(wanted, { home, stored: home, reigns }, request) : undefined;
      const result = plain ?? (await this.#afterReading(wanted, home, request));
      if (!(result instanceof IdError)) return result;
      // The row has changed between the statements: somebody else made progress.
      if (attempt === ATTEMPTS) throw result;
    }
  }

  /** The row of a sequence that exists; notes whether it has groups. */
  async #read(name: string, options: RequestOptions): Promise<Row> {
    const { text, values } = readStatement(this.#table, name);
    const [row] = await this.#sql.rows(text, values, options);
    if (row === undefined) throw noSuchSequence(name, `table ${this.#table.name}`);
    if (sequenceIn(row).group === undefined) this.#grouped.delete(name);
    else this.#grouped.add(name);
    return row;
  }

  /**
   * Reads the sequence and reserves with a statement that relies on what was read. Resolves with the error if
   * nothing prevents a reservation now; rejects with it if something does.
   */
  async #afterReading(
    wanted: Reservation,
    home: string,
    request: RequestOptions,
  ): Promise<ReservedSegment | IdError> {
    const readAt = performance.now();
    const row = await this.#read(wanted.name, request);
    const sequence = sequenceIn(row);
    const found = { table: this.#table.name, sequence, cause: sqliteChangeIn(row, home) };
    assertExpected(wanted, found);
    const change = changeToCross(wanted, found, this.#settings.skips);
    await this.#assertLog();
    const now = Number(row.now_ms);
    const group = sequence.group && groupAt(sequence.group, now);
    const stored = row.reign_server === null ? null : String(row.reign_server);
    const reigns = String(row.reigns);
    const asRead: AsRead = { home, stored, reigns, group, skip: change?.skipped };
    const reserved = await this.#update(wanted, asRead, request);
    if (reserved === undefined) return whyNoRow(wanted, found, group, change);
    return {
      ...reserved,
      // The clock was read after `readAt`, so this is early by at most the time that took.
      ...(group && { expiresAt: readAt + endOfGroup(group, reserved.high) - (now + 1) }),
      ...(change && { newReign: change }),
    };
  }

  /** Runs one reservation; undefined if no row matched. */
  async #update(
    wanted: Reservation,
    asRead: AsRead,
    request: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    const { text, values } = reserveStatement(this.#table, wanted, asRead);
    const [row] = await this.#sql.rows(text, values, request, asRead.home);
    if (row === undefined) return undefined;
    const high = readWholeNumber(row.max_id, 'max_id');
    return { low: high - wanted.size + 1, high, origin: readOrigin(row) };
  }

  async #assertLog(): Promise<void> {
    if (this.#settings.owner === undefined) return;
    const { name } = this.#table;
    const missing = await missingSqliteParts(SQLITE_SEGMENTS, this.#executor, name, true);
    if (!missing.includes('log')) return;
    throw new IdError(
      'ERR_IDS_CONFIG',
      `segment table ${name}: its grant log ${name}_log is missing or has no triggers; create it with ensureSchema({ log: true })`,
    );
  }
}
