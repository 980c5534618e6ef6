import { IdError, isIdError, type RequestOptions } from '@ids/core';
import {
  assertSequenceName,
  inSchema,
  logTableOf,
  type Origin,
  pendingState,
  quotedTable,
  type Row,
  type RowLoss,
  readOrigin,
  readWholeNumber,
  reignsText,
  type SqlExecutor,
  type SqlResult,
  skipAfter,
} from '@ids/store';
import {
  assertDurable,
  assertReplicated,
  type DurabilityCheck,
  durabilityWarnings,
  isMissingColumn,
  isOutOfRange,
  type RunOn,
  replicationWarnings,
  rowsOf,
  runOn,
} from '@ids/store/postgres';
import type { OpenGroup } from '../groups/group-clock.js';
import {
  assertReservable,
  type Reinstated,
  type ReinstateOptions,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  type SequenceState,
  sequenceExhausted,
} from '../segment-source.js';
import {
  assertExpected,
  changeToCross,
  type FoundRow,
  jumpAllowed,
  roomAbove,
  whyNoRow,
} from '../table/read-first.js';
import { assertAbove, tooLate } from '../table/refusal.js';
import { skipToReinstate } from '../table/reinstating.js';
import {
  type SourceSettings,
  type SqlSegmentSourceOptions,
  sourceSettings,
} from '../table/source-options.js';
import { SEGMENT_TABLE } from '../table/wording.js';
import { withLog } from './grant-log.js';
import { GROUPED, UNGROUPED } from './groups.js';
import { guardWarnings } from './guard-warnings.js';
import { hiddenByRowSecurity, missingSequence, writtenLater } from './missing-sequence.js';
import { reinstateRow } from './reinstate.js';
import { type FoundSequenceReign, findSequenceReign, reignOf } from './sequence-reign.js';
import {
  describeStatement,
  lockLimit,
  type Reservations,
  type RowGuards,
  readSequence,
  reservationsFor,
} from './statements.js';
import { zoneWarnings } from './zone-check.js';

/** A segment that a caller wants, as in `ReserveOptions`. */
interface Wanted {
  readonly name: string;
  readonly size: number;
  readonly floor: number | undefined;
  readonly expectedMaxId: number | undefined;
  readonly within: Origin | undefined;
  /** The reading of `performance.now()` at which the caller stops waiting. */
  readonly endsAt: number | undefined;
}

/** What decides about the text of a statement. */
interface KnownRow {
  readonly guards: RowGuards;
  readonly grouped: boolean;
}

/** What a reservation relies on that was read. */
interface AsRead {
  /** How far a floor may be above the row. */
  readonly maxJump: number;
  /** How many ids to skip. */
  readonly skip: number | null;
  /** As in `RowReign`, if the reign changes; otherwise nulls. */
  readonly row: readonly [version: unknown, here: unknown];
}

/** How often a row may change between reading it and reserving, which a new reign or group does. */
const ATTEMPTS = 10;

/** How long `noteUse` waits for a lock, in milliseconds. */
const NOTE_LOCK_MS = 1_000;

interface FoundTables {
  readonly table: string;
  /** The grant log, if one is written. */
  readonly log: string | undefined;
}

/** Reserves segments in a Postgres table, each by one UPDATE that is durable before its segment is used. */
export class PostgresSegmentSource implements SegmentSource {
  readonly #executor: SqlExecutor;
  readonly #run: RunOn;
  readonly #settings: SourceSettings;
  readonly #check: DurabilityCheck;
  /** The tables for SQL: with their schemas, as soon as a sequence was found there. */
  #found: FoundTables;
  /** What `findSequenceReign` last found; undefined before that. */
  #guards: RowGuards | undefined;
  /** The sequences that had groups when their rows were last read. */
  readonly #grouped = new Set<string>();
  /** The texts of reservations, by guard and by whether there are groups. */
  readonly #reservations = new Map<string, Reservations>();

  constructor(executor: SqlExecutor, options: SqlSegmentSourceOptions = {}) {
    const settings = sourceSettings(options);
    const { table, owner } = settings;
    this.#executor = executor;
    this.#run = runOn(executor, table, SEGMENT_TABLE);
    this.#settings = settings;
    const { embedded = false, deaf } = executor;
    const log = owner === undefined ? undefined : logTableOf(table);
    this.#check = { table, embedded, deaf, log, wording: SEGMENT_TABLE };
    this.#found = this.#check;
  }

  /** Also rejects with `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. */
  async describe(name: string, options?: RequestOptions): Promise<SequenceState> {
    assertSequenceName(name);
    const row = await this.#read(name, options);
    const reign = await this.#findReign(name, options, row);
    const sequence = readSequence(row);
    const { reigns, change } = reign.row ?? {};
    const standsAt = readWholeNumber(row.stands_at, 'stands_at');
    const loss = { ...reign.row?.loss, ...roomAbove(standsAt, sequence) };
    const { skips } = this.#settings;
    const warnings = [
      ...durabilityWarnings(row, this.#check),
      ...(await replicationWarnings((...query) => this.#run(...query, options), row, this.#check)),
      ...guardWarnings(row, reign, this.#check, skips, loss),
      ...(await zoneWarnings(rowsOf(this.#run, options), name, this.#found.table, sequence.group)),
    ];
    return {
      ...sequence,
      ...(reigns && { reigns }),
      ...(loss.pace && { pace: loss.pace }),
      ...(change && pendingState(change, skips, loss)),
      ...(warnings.length > 0 && { warnings }),
    };
  }

  async reserve(
    name: string,
    size: number,
    { floor, within, expectedMaxId, timeoutMs, ...request }: ReserveOptions = {},
  ): Promise<ReservedSegment> {
    assertReservable(name, size, { floor, expectedMaxId });
    const endsAt = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
    const wanted: Wanted = { name, size, floor, expectedMaxId, within, endsAt };
    try {
      return await this.#reserve(wanted, request);
    } catch (error) {
      // A dump from before the columns was restored under this process. Nothing was reserved.
      if (this.#guards?.pace !== true || !isIdError(error) || !isMissingColumn(error.cause)) throw error;
      this.#guards = undefined;
      return this.#reserve(wanted, request);
    }
  }

  async #reserve(wanted: Wanted, request: RequestOptions): Promise<ReservedSegment> {
    const { name, floor, endsAt } = wanted;
    const guards = this.#guards ?? (await this.#findReign(name, request, await this.#find(name, request)));
    for (let attempt = 1; ; attempt++) {
      const grouped = this.#grouped.has(name);
      // A floor follows what was read a moment ago.
      const usual = floor === undefined;
      const plain = usual ? await this.#update(wanted, { guards, grouped }, undefined, request) : undefined;
      const result = plain ?? (await this.#afterReading(wanted, { guards, grouped }, request));
      if (!(result instanceof IdError)) return result;
      // The row has changed between the statements: somebody else made progress. Or there is no time left.
      if (attempt === ATTEMPTS || (endsAt !== undefined && performance.now() >= endsAt)) throw result;
    }
  }

  /** The row is read first, for how much to skip: there is no hurry. */
  async reinstate(
    name: string,
    { timeoutMs, ...options }: ReinstateOptions,
  ): Promise<Reinstated | undefined> {
    const guards = this.#guards;
    // Who refuses a row has its names from here, so there is a guard.
    if (guards === undefined || guards.guard === 'off') return undefined;
    const endsAt = timeoutMs && performance.now() + timeoutMs;
    const request = options.signal && { signal: options.signal };
    const row = await this.#read(name, request);
    const { table } = this.#found;
    const { loss } = await reignOf(rowsOf(this.#run, request), table, name, guards);
    const standsAt = Math.max(readWholeNumber(row.stands_at, 'stands_at'), options.floor);
    const room = roomAbove(standsAt, readSequence(row));
    const skip = skipToReinstate(this.#settings.skips, options.follows, { ...loss, ...room });
    if (skip === null) return undefined;
    return reinstateRow({ run: this.#run, table, guards }, name, skip, {
      ...options,
      timeoutMs: endsAt && Math.max(1, endsAt - performance.now()),
    });
  }

  /** As in `SqlSegmentSource`. */
  async noteUse(name: string, options?: RequestOptions): Promise<void> {
    const guards = this.#guards;
    if (guards?.pace !== true || this.#grouped.has(name)) return;
    const { reserve } = this.#reservationsOf(guards, false);
    await this.#run(reserve, () => [name, 0, null, null, null, NOTE_LOCK_MS], options);
  }

  async close(): Promise<void> {
    if (this.#settings.closeExecutor) await this.#executor.close();
  }

  /**
   * Reads the sequence and reserves with a statement that relies on what was read. Resolves with the error if
   * nothing prevents a reservation now; rejects with it if something does.
   */
  async #afterReading(
    wanted: Wanted,
    { guards, grouped }: KnownRow,
    request: RequestOptions,
  ): Promise<ReservedSegment | IdError> {
    const { name, floor, endsAt } = wanted;
    const { skips } = this.#settings;
    const { table } = this.#found;
    const run = rowsOf(this.#run, request);
    const row = await this.#read(name, request);
    const reign = guards.guard === 'off' ? undefined : await reignOf(run, table, name, guards);
    // The later reading decides: where many reserve, no two of them are the same. A row that is another one,
    // or lower, was put there in between.
    const before = readSequence(row);
    const { realm } = reign?.columns ?? before;
    if (realm !== before.realm) return tooLate(name);
    const sequence = readSequence({ ...row, ...reign?.columns });
    if (sequence.maxId < before.maxId) return tooLate(name);
    const standsAt = Math.max(readWholeNumber(row.stands_at, 'stands_at'), sequence.maxId);
    const loss: RowLoss = { ...reign?.loss, ...roomAbove(Math.max(standsAt, floor ?? 0), sequence) };
    const found: FoundRow = { table, sequence, cause: reign?.change, loss };
    assertExpected(wanted, found);
    if (reign?.supersededBy !== undefined) throw writtenLater(name, table, reign.supersededBy);
    const timelines = reign?.change === undefined ? 0 : loss.timelines;
    const ifBelow = skipAfter('restore', skips, { ...loss, timelines });
    const change = changeToCross({ name, floor, loss: ifBelow }, found, skips);
    const maxJump = jumpAllowed(this.#settings.maxJump, found, skips);
    const known = { guards, grouped: sequence.group !== undefined };
    const raises = floor !== undefined || change !== undefined;
    // The sequence has groups of which this source did not know: the short statement refuses these.
    if (!raises && known.grouped !== grouped) return tooLate(name);
    if (endsAt !== undefined && performance.now() >= endsAt) return tooLate(name);
    const asRead = {
      maxJump,
      skip: change === undefined || (floor ?? 0) > standsAt ? ifBelow : change.skipped,
      row: (change && reign?.asRead) ?? [null, null],
    };
    const reserved = raises ? await this.#update(wanted, known, asRead, request) : undefined;
    if (reserved !== undefined) return change ? { ...reserved, newReign: change } : reserved;
    const group = openGroup(row, sequence, standsAt);
    const refused = whyNoRow({ ...wanted, maxJump, loss: ifBelow }, found, group, change);
    const hidden = await hiddenByRowSecurity(run, name, table);
    if (hidden !== undefined) throw hidden;
    return refused;
  }

  /** The segment that a statement reserved. */
  #reserved(
    name: string,
    size: number,
    row: Row,
    notices: readonly string[],
    sentAt: number,
  ): ReservedSegment {
    const high = readWholeNumber(row.max_id, 'max_id');
    const segment = { low: high - size + 1, high };
    assertReplicated(notices, name, `${segment.low}..${segment.high} is not used`);
    assertAbove(name, segment, readWholeNumber(row.was, 'was'), this.#found.table);
    const { left_ms: leftMs } = row;
    return {
      ...segment,
      origin: readOrigin(row),
      ...(leftMs !== null && { expiresAt: sentAt + Number(leftMs) }),
    };
  }

  /** The row of a sequence that exists, on a server that is fit; notes whether it has groups. */
  async #read(name: string, options: RequestOptions | undefined): Promise<Row> {
    const row = await this.#find(name, options);
    assertDurable(row, this.#check);
    if (row?.realm === undefined || row.realm === null) {
      throw await missingSequence(rowsOf(this.#run, options), name, this.#check.table);
    }
    if (readSequence(row).group === undefined) this.#grouped.delete(name);
    else this.#grouped.add(name);
    return row;
  }

  /** What `describeStatement` reads; notes where the tables are, as soon as they have such a sequence. */
  async #find(name: string, options: RequestOptions | undefined): Promise<Row | undefined> {
    const tables = this.#found;
    const { table, log } = tables;
    const values = [name, quotedTable(table).table, log === undefined ? null : quotedTable(log).table];
    const text = describeStatement(table, (this.#guards?.guard ?? 'off') !== 'off');
    const [row] = (await this.#run(text, values, options)).rows;
    if (tables !== this.#check || row === undefined || row.realm === null) return row;
    const found = {
      table: inSchema(table, row.found_in),
      log: log === undefined ? undefined : inSchema(log, row.log_found_in),
    };
    // Of several first reads, on connections with different search paths, only one decides.
    if (this.#found === this.#check) this.#found = found;
    return this.#found.table === found.table ? row : this.#find(name, options);
  }

  async #findReign(
    name: string,
    request: RequestOptions | undefined,
    facts: Row | undefined,
  ): Promise<FoundSequenceReign> {
    const reign = await findSequenceReign(rowsOf(this.#run, request), this.#found.table, name, facts);
    this.#guards = reign;
    return reign;
  }

  /** Runs one reservation, `asRead` if it relies on that; undefined if no row matched. */
  async #update(
    { name, size, floor, within, expectedMaxId, endsAt }: Wanted,
    { guards, grouped }: KnownRow,
    asRead: AsRead | undefined,
    request: RequestOptions,
  ): Promise<ReservedSegment | undefined> {
    const { reserve, raise } = this.#reservationsOf(guards, grouped);
    const origin = [within?.realm ?? null, reignsText(within?.reigns)];
    const ofRow = guards.guard === 'off' ? [] : (asRead?.row ?? []);
    const [text, bounds] =
      asRead === undefined
        ? [reserve, [name, size, expectedMaxId ?? null, ...origin]]
        : [raise, [name, size, floor ?? null, ...origin, asRead.maxJump, asRead.skip, ...ofRow]];
    const timeLeft = (): number | null => lockLimit(endsAt && endsAt - performance.now());
    // Read before it is sent: the time left in a group counts from then on, so that no id outlives its group.
    const sentAt = performance.now();
    try {
      const values = () => [...bounds, timeLeft()];
      const { rows, notices } = await this.#executeLogged(text, values, bounds.length + 1, request);
      return rows[0] && this.#reserved(name, size, rows[0], notices, sentAt);
    } catch (error) {
      throw isOutOfRange((error as Error).cause) ? sequenceExhausted(name, size, error) : error;
    }
  }

  #reservationsOf(guards: RowGuards, grouped: boolean): Reservations {
    const key = `${guards.guard} ${guards.pace} ${grouped}`;
    let texts = this.#reservations.get(key);
    if (texts === undefined) {
      texts = reservationsFor(this.#found.table, guards, grouped ? GROUPED : UNGROUPED);
      this.#reservations.set(key, texts);
    }
    return texts;
  }

  /** With an entry in the log, if there is one. Its label is the parameter after those of the text. */
  #executeLogged(
    text: string,
    values: () => readonly unknown[],
    parameters: number,
    request: RequestOptions,
  ): Promise<SqlResult> {
    const owner = this.#settings.owner;
    const { log } = this.#found;
    if (owner === undefined || log === undefined) return this.#run(text, values, request);
    const logged = withLog(text, log, `$${parameters + 1}`);
    return this.#run(logged, () => [...values(), owner], request);
  }
}

/** The group that is now, by the clock of the server that was read. */
function openGroup(row: Row, { group }: SequenceState, standsAt: number): OpenGroup | undefined {
  return group && { ...group, base: standsAt, limit: readWholeNumber(row.group_limit, 'group_limit') };
}
