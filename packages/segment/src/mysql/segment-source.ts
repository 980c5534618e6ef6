import { randomBytes } from 'node:crypto';
import { IdError, type RequestOptions } from '@ids/core';
import {
  assertSequenceName,
  isWithin,
  type Origin,
  pendingState,
  type Row,
  readOrigin,
  readWholeNumber,
  skipAfter,
} from '@ids/store';
import {
  changeIn,
  historyOf,
  inDatabase,
  laneOf,
  type MysqlExecutor,
  type MysqlTable,
  mysqlSkips,
  mysqlTable,
  mysqlWarnings,
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
import { assertExpected, changeToCross, roomAbove, whyNoRow } from '../table/read-first.js';
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
type Request = Omit<Reservation, 'grantId' | 'leftMs' | 'group' | 'history' | 'durability' | 'newNames'>;

/** How a reservation is made that relies on what was read. */
interface AsRead {
  readonly history: RowHistory;
  readonly group?: OpenGroup | undefined;
  readonly crossing?: Crossing | undefined;
}

/** How often a row may change between reading it and reserving, which a new reign or group does. */
const ATTEMPTS = 10;

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
    const warnings = mysqlWarnings(row, facts, about, this.#settings.skips);
    const change = changeIn(row);
    return {
      ...sequenceIn(row),
      ...(change && pendingState(change, this.#settings.skips, laneOf(row))),
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
    const { maxJump, skips, owner } = this.#settings;
    const wanted: Request = {
      name,
      size,
      floor,
      expectedMaxId,
      within,
      maxJump,
      loss: skipAfter('restore', skips),
      owner,
    };
    for (let attempt = 1; ; attempt++) {
      const history = this.#grouped.has(name) ? undefined : this.#histories.get(name);
      // A floor follows what was read a moment ago.
      const usual = history !== undefined && floor === undefined && isWithin(originOf(history), within);
      const plain = usual ? await this.#update(wanted, endsAt, { history }, request) : undefined;
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
    const { group, reigns = [], ...found } = sequence;
    const now = group && groupAt(group, Number(row.now_ms));
    const standsAt = Math.max(found.maxId, now?.base ?? 0, floor);
    const skipped = skipToReinstate(this.#settings.skips, follows, roomAbove(standsAt, sequence));
    if (skipped === null || changeIn(row) !== undefined || !isWithin({ ...found, reigns }, within))
      return undefined;
    const history = historyOf(row);
    const nonce = randomBytes(4).toString('hex');
    const newNames = withReignOf(history.server, nonce, [...follows, ...reigns].join(','));
    const text = reinstateStatement(this.#table, {
      ...{ name, floor, skip: skipped, history, newNames, durability: this.#durability },
      leftMs: endsAt && Math.max(0, endsAt - performance.now()),
      group: now,
    });
    const after = await this.#sql.change(text, readStatement(this.#table, name), request);
    // Nobody else has that name.
    if (after?.reigns !== newNames) return undefined;
    this.#histories.set(name, historyOf(after));
    return { origin: readOrigin(after), maxId: readWholeNumber(after.max_id, 'max_id'), skipped };
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
    const [row] = await this.#sql.rows(readStatement(table, name), options);
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

  /**
   * Reads the sequence and reserves with a statement that relies on what was read. Resolves with the error if
   * nothing prevents a reservation now; rejects with it if something does.
   */
  async #afterReading(
    wanted: Request,
    endsAt: number | undefined,
    request: RequestOptions,
  ): Promise<ReservedSegment | IdError> {
    const readAt = performance.now();
    const row = await this.#read(wanted.name, request);
    const sequence = sequenceIn(row);
    const { name: table } = this.#table;
    const now = Number(row.now_ms);
    const group = sequence.group && groupAt(sequence.group, now);
    const standsAt = Math.max(sequence.maxId, group?.base ?? 0, wanted.floor ?? 0);
    const loss = { ...laneOf(row), ...roomAbove(standsAt, sequence) };
    const found = { table, sequence, cause: changeIn(row), loss };
    assertExpected(wanted, found);
    const change = changeToCross(wanted, found, this.#settings.skips);
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
      ...(group && { expiresAt: readAt + endOfGroup(group, reserved.high) - (now + 1) }),
      ...(change && { newReign: change }),
    };
  }

  /** Runs one reservation; undefined if no row matched. */
  async #update(
    wanted: Request,
    endsAt: number | undefined,
    { history, group, crossing }: AsRead,
    { signal }: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    const begins = crossing !== undefined || history.names === null;
    const run = async (): Promise<ReservedSegment | undefined> => {
      const grantId = randomBytes(16).toString('hex');
      const leftMs = endsAt && Math.max(0, endsAt - performance.now());
      const newNames = begins ? withReignOf(history.server, grantId, history.names) : undefined;
      const durability = this.#durability;
      const reservation = { ...wanted, history, durability, newNames, grantId, leftMs, group };
      const text = reserveStatement(this.#table, reservation, crossing);
      const { high, logged } = await this.#executor.reserve(text, grantId, signal);
      if (high === undefined) return undefined;
      if (this.#settings.owner !== undefined && !logged) throw this.#sql.noLog('has no triggers');
      const last = readWholeNumber(high, 'max_id');
      const now = { ...history, names: newNames ?? history.names };
      this.#histories.set(wanted.name, now);
      return { low: last - wanted.size + 1, high: last, origin: originOf(now) };
    };
    return this.#sql.attempt(run, { signal });
  }
}

function originOf({ realm, names }: RowHistory): Origin {
  return readOrigin({ realm, reigns: names });
}
