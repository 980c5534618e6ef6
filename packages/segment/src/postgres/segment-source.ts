import type { IdError, RequestOptions } from '@ids/core';
import {
  assertSequenceName,
  inSchema,
  isWithin,
  logTableOf,
  type Origin,
  pendingState,
  quotedTable,
  type ReignChange,
  type Row,
  readChange,
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
  isOutOfRange,
  type ReignGuard,
  type RunOn,
  replicationWarnings,
  rowsOf,
  runOn,
} from '@ids/store/postgres';
import {
  assertReservable,
  type ReservedSegment,
  type ReserveOptions,
  type SegmentSource,
  SequenceMovedError,
  type SequenceState,
  sequenceExhausted,
} from '../segment-source.js';
import { assertAbove, newReignRefused, refusedReservation, regressionRefused } from '../table/refusal.js';
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
import { type FoundSequenceReign, findSequenceReign, reignOf } from './sequence-reign.js';
import {
  describeStatement,
  lockLimit,
  type Reservations,
  readSequence,
  reservationsFor,
} from './statements.js';

/** What a reservation must respect, as in `ReserveOptions`. */
interface Bounds {
  readonly floor: number | undefined;
  readonly expectedMaxId: number | undefined;
  readonly within: Origin | undefined;
  /** The reading of `performance.now()` at which the caller stops waiting. */
  readonly endsAt: number | undefined;
}

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
  #guard: ReignGuard | undefined;
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
    const { reigns, change, timelines } = reign;
    const warnings = [
      ...durabilityWarnings(row, this.#check),
      ...(await replicationWarnings((...query) => this.#run(...query, options), row, this.#check)),
      ...guardWarnings(row, reign, this.#check, this.#settings.skips),
    ];
    return {
      ...readSequence(row),
      ...(reigns && { reigns }),
      ...(change && pendingState(change, this.#settings.skips, timelines)),
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
    const bounds = { floor, within, expectedMaxId, endsAt };
    const guard =
      this.#guard ?? (await this.#findReign(name, request, await this.#find(name, request))).guard;
    for (;;) {
      const grouped = this.#grouped.has(name);
      // Read before it is sent: the time left in a group counts from then on, so that no id outlives its
      // group.
      const sentAt = performance.now();
      const result = await this.#update(name, size, bounds, guard, grouped, request);
      const [row] = result.rows;
      if (row !== undefined) return this.#reserved(name, size, bounds, row, result.notices, sentAt);
      const found = await this.#read(name, request);
      // The sequence has groups of which this source did not know: the short statement refuses these.
      if (!grouped && this.#grouped.has(name)) continue;
      throw await this.#whyNoRow(name, size, bounds, guard, request, found);
    }
  }

  async close(): Promise<void> {
    if (this.#settings.closeExecutor) await this.#executor.close();
  }

  /** The segment that a statement reserved. */
  #reserved(
    name: string,
    size: number,
    { floor = 0 }: Bounds,
    row: Row,
    notices: readonly string[],
    sentAt: number,
  ): ReservedSegment {
    const high = readWholeNumber(row.max_id, 'max_id');
    const segment = { low: high - size + 1, high };
    assertReplicated(notices, name, `${segment.low}..${segment.high} is not used`);
    const was = readWholeNumber(row.was, 'was');
    assertAbove(name, segment, was, this.#found.table);
    const { left_ms: leftMs } = row;
    const change = readChange(row.noticed);
    // With groups, the sequence may also have moved on to the present one.
    const skipped = (cause: ReignChange): number =>
      leftMs === null ? segment.low - 1 - Math.max(was, floor) : (this.#settings.skips[cause] ?? 0);
    return {
      ...segment,
      origin: readOrigin(row),
      ...(leftMs !== null && { expiresAt: sentAt + Number(leftMs) }),
      ...(change && { newReign: { cause: change, skipped: skipped(change) } }),
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
    const text = describeStatement(table, (this.#guard ?? 'off') !== 'off');
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
    this.#guard = reign.guard;
    return reign;
  }

  async #update(
    name: string,
    size: number,
    { floor, within, expectedMaxId, endsAt }: Bounds,
    guard: ReignGuard,
    grouped: boolean,
    request: RequestOptions,
  ): Promise<SqlResult> {
    const { reserve, heal } = this.#reservationsOf(guard, grouped);
    const { failover, restore } = this.#settings.skips;
    const guarded = guard !== 'off';
    const origin = [within?.realm ?? null, reignsText(within?.reigns)];
    const [text, bounds] =
      floor === undefined
        ? [reserve, [name, size, expectedMaxId ?? null, ...origin, ...(guarded ? [failover, restore] : [])]]
        : [
            heal,
            [name, size, floor, ...origin, this.#settings.maxJump, ...(guarded ? [failover] : []), restore],
          ];
    const timeLeft = (): number | null => lockLimit(endsAt && endsAt - performance.now());
    try {
      return await this.#executeLogged(text, () => [...bounds, timeLeft()], bounds.length + 1, request);
    } catch (error) {
      throw isOutOfRange((error as Error).cause) ? sequenceExhausted(name, size, error) : error;
    }
  }

  #reservationsOf(guard: ReignGuard, grouped: boolean): Reservations {
    const key = `${guard} ${grouped}`;
    let texts = this.#reservations.get(key);
    if (texts === undefined) {
      texts = reservationsFor(this.#found.table, guard, grouped ? GROUPED : UNGROUPED);
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

  async #whyNoRow(
    name: string,
    size: number,
    { floor, within, expectedMaxId }: Bounds,
    guard: ReignGuard,
    request: RequestOptions,
    row: Row,
  ): Promise<IdError> {
    const sequence = readSequence(row);
    const { table } = this.#found;
    const run = rowsOf(this.#run, request);
    const isMoved = expectedMaxId !== undefined && sequence.maxId !== expectedMaxId;
    if (isMoved || !isWithin(sequence, within)) {
      const { change } = guard === 'off' ? {} : await reignOf(run, table, name, guard);
      return new SequenceMovedError(name, expectedMaxId, sequence.maxId, sequence, change !== undefined);
    }
    const reign = guard === 'off' ? undefined : await reignOf(run, table, name, guard);
    if (reign?.supersededBy !== undefined) return writtenLater(name, table, reign.supersededBy);
    const { change, timelines = 0 } = reign ?? {};
    if (change !== undefined) {
      const skip = skipAfter(change, this.#settings.skips, timelines);
      // Ids that are skipped are an obstacle only at the end of a group. Otherwise it was something else,
      // before the change or besides it.
      if (skip === null || sequence.group !== undefined) return newReignRefused(name, table, change, skip);
    }
    if (floor !== undefined && floor > sequence.maxId && this.#settings.skips.restore === null) {
      return regressionRefused(name, table, sequence.maxId, floor);
    }
    const refused = { name, size, floor, maxJump: this.#settings.maxJump };
    return (await hiddenByRowSecurity(run, name, table)) ?? refusedReservation(refused, row, sequence);
  }
}
