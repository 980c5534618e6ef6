import { randomBytes } from 'node:crypto';
import { IdError, type RequestOptions } from '@ids/core';
import {
  assertSequenceName,
  isWithin,
  pendingState,
  type Row,
  type RowLoss,
  readOrigin,
  readPace,
  readWholeNumber,
  skipAfter,
} from '@ids/store';
import {
  changeIn,
  historyOf,
  inDatabase,
  isDenied,
  isMissingColumn,
  laneOf,
  type MysqlExecutor,
  type MysqlTable,
  mysqlSkips,
  mysqlTable,
  mysqlWarnings,
  originOf,
  type RowHistory,
  reignsOf,
  type ServerFacts,
  type TableSql,
  tableSql,
  withReignOf,
} from '@ids/store/mysql';
import { endOfGroup, groupAt, type OpenGroup } from '../groups/group-clock.js';
import {
  assertReservable,
  noSuchSequence,
  type Reinstated,
  type ReinstateOptions,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  type SequenceState,
} from '../segment-source.js';
import { paceWarnings } from '../table/pace-warnings.js';
import { assertExpected, changeToCross, jumpAllowed, roomAbove, whyNoRow } from '../table/read-first.js';
import { skipToReinstate } from '../table/reinstating.js';
import { sequenceIn } from '../table/sequence-row.js';
import {
  type SourceSettings,
  type SqlSegmentSourceOptions,
  sourceSettings,
} from '../table/source-options.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import {
  type Crossing,
  type Reservation,
  readStatement,
  reinstateStatement,
  reserveStatement,
} from './statements.js';

/** A reservation without what is new for each statement. */
type Request = Omit<
  Reservation,
  'grantId' | 'leftMs' | 'group' | 'history' | 'durability' | 'newNames' | 'minute'
>;

/** How a reservation is made that relies on what was read. */
interface AsRead {
  readonly history: RowHistory;
  readonly group?: OpenGroup | undefined;
  readonly crossing?: Crossing | undefined;
  readonly minute?: 'any' | 'same' | undefined;
}

/** How often a row may change between reading it and reserving, which a new reign or group does. */
const ATTEMPTS = 10;

const MINUTE_MS = 60_000;

/** How long `noteUse` may take. */
const NOTE_MS = 3_000;

/** Reserves segments in a table of MySQL, each by one UPDATE that is durable before its segment is used. */
export class MysqlSegmentSource implements SegmentSource {
  readonly #executor: MysqlExecutor;
  readonly #sql: TableSql;
  /** With its database, as soon as a sequence was found there. */
  #table: MysqlTable;
  readonly #settings: SourceSettings;
  /** The sequences that had groups when their rows were last read. */
  readonly #grouped = new Set<string>();
  /** What their rows said about their history. */
  readonly #histories = new Map<string, RowHistory>();
  /** The settings with which the server was found to be durable; empty before that. */
  #durability = '';
  /** Whether the account may use the columns of the pace, as far as is known. */
  #pace = false;
  /** Until which reading of `performance.now()` the minutes of rows last that were begun or counted here. */
  readonly #minutes = new Map<string, number>();

  constructor(executor: MysqlExecutor, options: SqlSegmentSourceOptions = {}) {
    const settings = sourceSettings(options);
    this.#executor = executor;
    this.#sql = tableSql(executor, settings.table, SEGMENT_TABLE);
    this.#table = mysqlTable(settings.table);
    this.#settings = { ...settings, skips: mysqlSkips(settings.skips) };
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(name: string, options: RequestOptions = {}): Promise<SequenceState> {
    assertSequenceName(name);
    const row = await this.#find(name, options);
    const facts = await this.#assertDurable(row, options);
    const about = `${SEGMENT_TABLE.what} ${this.#table.name}`;
    if (this.#settings.owner !== undefined) await this.#sql.assertLog(this.#table.log, options);
    const { skips } = this.#settings;
    const [sequence, change] = [sequenceIn(row), changeIn(row)];
    const loss = lossOf(row, standingOf(row, sequence).standsAt, sequence);
    const warnings = [
      ...(this.#pace ? [] : paceWarnings(about, skips)),
      ...mysqlWarnings(row, facts, about, skips, loss),
    ];
    return {
      ...sequence,
      ...(loss.pace && { pace: loss.pace }),
      ...(change && pendingState(change, skips, loss)),
      warnings,
    };
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
    const { maxJump, owner } = this.#settings;
    const wanted: Request = {
      name,
      size,
      floor,
      expectedMaxId,
      within,
      maxJump,
      loss: null,
      owner,
    };
    for (let attempt = 1; ; attempt++) {
      const history = this.#grouped.has(name) ? undefined : this.#histories.get(name);
      // A floor follows what was read a moment ago.
      const usual = history !== undefined && floor === undefined && isWithin(originOf(history), within);
      const plain = usual ? await this.#plain(wanted, endsAt, history, request) : undefined;
      const result = plain ?? (await this.#afterReading(wanted, endsAt, request));
      if (!(result instanceof IdError)) return result;
      // The row has changed between the statements: somebody else made progress. Or there is no time left.
      if (attempt === ATTEMPTS || (endsAt !== undefined && performance.now() >= endsAt)) throw result;
    }
  }

  /** The statement relies on the row that it reads first: there is no hurry. */
  async reinstate(
    name: string,
    { within, follows, floor, timeoutMs, ...request }: ReinstateOptions,
  ): Promise<Reinstated | undefined> {
    const endsAt = timeoutMs && performance.now() + timeoutMs;
    const row = await this.#read(name, request);
    const sequence = sequenceIn(row);
    const { reigns = [], ...found } = sequence;
    const { group, standsAt } = standingOf(row, sequence, floor);
    const skipped = skipToReinstate(this.#settings.skips, follows, lossOf(row, standsAt, sequence));
    if (skipped === null || changeIn(row) !== undefined || !isWithin({ ...found, reigns }, within))
      return undefined;
    const history = historyOf(row);
    const nonce = randomBytes(4).toString('hex');
    const newNames = withReignOf(history.server, nonce, [...follows, ...reigns].join(','));
    const text = reinstateStatement(this.#table, {
      ...{ name, floor, skip: skipped, history, newNames, durability: this.#durability },
      lost: this.#pace ? follows.length : undefined,
      leftMs: endsAt && Math.max(0, endsAt - performance.now()),
      group,
    });
    const after = await this.#sql.change(text, readStatement(this.#table, name), request);
    // Nobody else has that name.
    if (after?.reigns !== newNames) return undefined;
    this.#histories.set(name, historyOf(after));
    return { origin: readOrigin(after), maxId: readWholeNumber(after.max_id, 'max_id'), skipped };
  }

  /** As in `SqlSegmentSource`. */
  async noteUse(name: string, options: RequestOptions = {}): Promise<void> {
    // What was known of it may be over: another process has begun the reign.
    const row = await this.#find(name, options);
    const history = historyOf(row);
    if (!this.#pace || changeIn(row) !== undefined || history.names === null || this.#grouped.has(name))
      return;
    const nothing = { name, size: 0, floor: undefined, expectedMaxId: undefined, within: undefined };
    const wanted = { ...nothing, maxJump: 0, loss: null, owner: undefined };
    await this.#update(wanted, performance.now() + NOTE_MS, { history }, options);
  }

  async close(): Promise<void> {
    if (this.#settings.closeExecutor) await this.#executor.close();
  }

  /** The row of a sequence that exists, on a server that is durable; notes whether it has groups. */
  async #read(name: string, options: RequestOptions): Promise<Row> {
    const row = await this.#find(name, options);
    if (row.durability !== this.#durability) await this.#assertDurable(row, options);
    return row;
  }

  /** Throws `ERR_IDS_CONFIG` unless the server is durable; then remembers how it is set. */
  async #assertDurable(row: Row, options: RequestOptions): Promise<ServerFacts> {
    const facts = await this.#sql.durableFacts(row, options);
    this.#durability = String(row.durability);
    return facts;
  }

  /** As `#read`, of any server. */
  async #find(name: string, options: RequestOptions): Promise<Row> {
    const table = this.#table;
    const row = await this.#readRow(table, name, options);
    if (row?.realm === undefined || row.realm === null) {
      throw noSuchSequence(name, `table ${table.name}`);
    }
    if (table.database === undefined) {
      const found = String(row.here_database);
      // Of several first reads, on connections with different defaults, only one decides.
      if (this.#table.database === undefined) this.#table = inDatabase(table, found);
      else if (this.#table.database !== found) return this.#find(name, options);
    }
    this.#histories.set(name, historyOf(row));
    if (sequenceIn(row).group === undefined) this.#grouped.delete(name);
    else this.#grouped.add(name);
    return row;
  }

  /** A row with its pace, if that is there. */
  async #readRow(table: MysqlTable, name: string, options: RequestOptions): Promise<Row | undefined> {
    const read = async () => (await this.#sql.rows(readStatement(table, name, this.#pace), options))[0];
    const row = await this.#withPace(read);
    if (Number(row?.has_pace) !== 1) return row;
    this.#pace = true;
    return this.#withPace(read);
  }

  /** Runs a statement again if its columns of the pace are gone, as after an old dump was restored. */
  async #withPace<T>(run: () => Promise<T>): Promise<T> {
    const before = this.#pace;
    try {
      return await run();
    } catch (error) {
      if (!before || !(isMissingColumn(error) || isDenied(error))) throw error;
      this.#pace = false;
      return run();
    }
  }

  /**
   * Reads the sequence and reserves with a statement that relies on what was read. Resolves with the error if
   * nothing prevents a reservation now; rejects with it if something does.
   */
  async #afterReading(
    caller: Request,
    endsAt: number | undefined,
    request: RequestOptions,
  ): Promise<ReservedSegment | IdError> {
    const readAt = performance.now();
    const row = await this.#read(caller.name, request);
    const sequence = sequenceIn(row);
    const { name: table } = this.#table;
    const { group, standsAt } = standingOf(row, sequence, caller.floor);
    const { skips } = this.#settings;
    const loss = lossOf(row, standsAt, sequence);
    const found = { table, sequence, cause: changeIn(row), loss };
    assertExpected(caller, found);
    const ifBelow = skipAfter('restore', skips, loss);
    const change = changeToCross({ ...caller, loss: ifBelow }, found, skips);
    const maxJump = jumpAllowed(caller.maxJump, found, skips);
    const wanted = { ...caller, loss: ifBelow, maxJump };
    const crossing = change && { ...change, maxId: sequence.maxId, ...reignsOf(row) };
    // Nobody would use it.
    if (endsAt !== undefined && performance.now() >= endsAt) return whyNoRow(wanted, found, group, change);
    const history = historyOf(row);
    const reserved = await this.#update(wanted, endsAt, { history, group, crossing }, request);
    if (reserved === undefined) return whyNoRow(wanted, found, group, change);
    return {
      ...reserved,
      // The server read its clock after `readAt`, so this is early by at most one round trip. It answered in
      // whole milliseconds, which may be up to one less than it read.
      ...(group && { expiresAt: readAt + endOfGroup(group, reserved.high) - (Number(row.now_ms) + 1) }),
      ...(change && { newReign: change }),
    };
  }

  /** The usual reservation, which only counts in a minute that goes on; undefined if no row matched. */
  async #plain(
    wanted: Request,
    endsAt: number | undefined,
    history: RowHistory,
    request: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    const isSame = this.#pace && performance.now() < (this.#minutes.get(wanted.name) ?? 0);
    const same = isSame
      ? await this.#update(wanted, endsAt, { history, minute: 'same' }, request)
      : undefined;
    return same ?? this.#update(wanted, endsAt, { history }, request);
  }

  /** Runs one reservation; undefined if no row matched. */
  async #update(
    wanted: Request,
    endsAt: number | undefined,
    { history, group, crossing, minute = 'any' }: AsRead,
    { signal }: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    const begins = crossing !== undefined || history.names === null;
    const run = async (): Promise<ReservedSegment | undefined> => {
      const grantId = randomBytes(16).toString('hex');
      const leftMs = endsAt && Math.max(0, endsAt - performance.now());
      const newNames = begins ? withReignOf(history.server, grantId, history.names) : undefined;
      const durability = this.#durability;
      const reservation = {
        ...{ ...wanted, history, durability, newNames, grantId, leftMs, group },
        minute: this.#pace ? minute : undefined,
      };
      const text = reserveStatement(this.#table, reservation, crossing);
      const { high, logged } = await this.#executor.reserve(text, grantId, signal);
      if (high === undefined) return undefined;
      if (this.#settings.owner !== undefined && !logged) throw this.#sql.noLog('has no triggers');
      const last = readWholeNumber(high, 'max_id');
      const now = { ...history, names: newNames ?? history.names };
      this.#histories.set(wanted.name, now);
      if (minute === 'any') this.#minutes.set(wanted.name, performance.now() + MINUTE_MS);
      return { low: last - wanted.size + 1, high: last, origin: originOf(now) };
    };
    return this.#withPace(() => this.#sql.attempt(run, { signal }));
  }
}

/** Where a row stands that was read, or the floor above it, and its group by the server's clock. */
function standingOf(
  row: Row,
  { group, maxId }: SequenceState,
  floor = 0,
): { readonly group: OpenGroup | undefined; readonly standsAt: number } {
  const now = group && groupAt(group, Number(row.now_ms));
  return { group: now, standsAt: Math.max(maxId, now?.base ?? 0, floor) };
}

/** What a row that was read may have lost. */
function lossOf(row: Row, standsAt: number, sequence: SequenceState): RowLoss {
  return { lane: laneOf(row.here_server), pace: readPace(row), ...roomAbove(standsAt, sequence) };
}
