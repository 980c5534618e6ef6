import { IdError, isIdError } from '@ids/core';
import { defaultOwner, type LogOptions, quotedTable, type SqlExecutor } from '@ids/segment/sql';
import {
  assertDurable,
  assertOwner,
  assertReplicated,
  assertSequenceName,
  CHANGE_TEXT,
  durabilityWarnings,
  isSerializationFailure,
  isUnsupported,
  logTableOf,
  REIGN_TRIGGER,
  type ReignGuard,
  type Row,
  sqlError,
  WARNING_PROBE,
  WARNINGS_LOST,
} from '@ids/segment/table';
import { type Layout, layoutText } from '../layout.js';
import type {
  CallOptions,
  Claimed,
  Granted,
  Holder,
  NoneFree,
  Refusal,
  Refused,
  ReignChange,
  SlotTable,
} from '../slot-table.js';
import { AHEAD_MS } from '../windows.js';
import { DEFAULT_SLOT_TABLE, SLOT_TABLE, type SlotTableOptions } from './slot-schema.js';
import { describeStatement, type SlotStatements, statementsFor } from './slot-statements.js';

export interface SqlSlotTableOptions extends SlotTableOptions, LogOptions {
  /** The slots, created once with `createSlots`. */
  readonly name: string;
  readonly layout: Layout;
  /** Whether `close` also closes the executor; default false. */
  readonly closeExecutor?: boolean;
}

/** What is known about the slots of a name. */
export interface SlotState {
  /** How many slots there are. */
  readonly slots: number;
  /** Until when time was granted to any of them, and the database's clock, in milliseconds since 1970. */
  readonly grantedUntil: number;
  readonly now: number;
  /** What the store is not set up to survive. */
  readonly warnings: readonly string[];
}

/** Under REPEATABLE READ, statements that look for a free slot may collide a few times in a row. */
const SERIALIZATION_ATTEMPTS = 10;

interface SqlRow {
  readonly row: Row | undefined;
  readonly notices: readonly string[];
}

/** Slots in a Postgres table; each step is one statement that is durable before its answer is used. */
export class SqlSlotTable implements SlotTable {
  readonly #executor: SqlExecutor;
  readonly #name: string;
  readonly #layout: Layout;
  readonly #table: string;
  readonly #label: string;
  readonly #log: boolean;
  readonly #closeExecutor: boolean;
  #statements: SlotStatements | undefined;

  constructor(executor: SqlExecutor, options: SqlSlotTableOptions) {
    const { name, layout, table = DEFAULT_SLOT_TABLE, log = false, closeExecutor = false } = options;
    const { owner = defaultOwner() } = options;
    assertSequenceName(name);
    assertOwner(owner);
    this.#executor = executor;
    this.#name = name;
    this.#layout = layout;
    this.#table = table;
    this.#label = owner;
    this.#log = log;
    this.#closeExecutor = closeExecutor;
  }

  /**
   * Reads the slots. Rejects with `ERR_IDS_CONFIG` if there are none, if they belong to another layout, or
   * if the store could lose grants or cannot make any.
   */
  async describe(options?: CallOptions): Promise<SlotState> {
    const log = this.#log ? logTableOf(this.#table) : undefined;
    const check = {
      table: this.#table,
      embedded: this.#executor.embedded === true,
      log,
      what: SLOT_TABLE.what,
    };
    const values = [
      this.#name,
      quotedTable(this.#table).table,
      log === undefined ? null : quotedTable(log).table,
    ];
    const { row } = await this.#run(describeStatement(this.#table), values, options);
    assertDurable(row, check);
    const facts = row as Row;
    this.#assertSlots(facts);
    const { guard, missing } = await this.#findGuard(facts, options);
    const { change: changeText } = this.#use(guard);
    const change = guard === 'off' ? undefined : (await this.#run(changeText, [this.#name], options)).row;
    const warnings = [
      ...durabilityWarnings(facts, check),
      ...(await this.#replicationWarnings(facts, check.embedded, options)),
      ...(missing === undefined || (check.embedded && guard === 'row') ? [] : [this.#named(missing)]),
      ...this.#triggerWarnings(facts),
      ...pendingWarning(readChange(change?.change)).map((text) => this.#named(text)),
    ];
    return {
      slots: Number(facts.slots),
      grantedUntil: readMs(facts.granted_until),
      now: readMs(facts.now_ms),
      warnings,
    };
  }

  async claim(owner: string, options?: CallOptions): Promise<Claimed | NoneFree> {
    const { claim } = await this.#texts(options);
    const values = [this.#name, layoutText(this.#layout), owner, this.#label];
    const { row, notices } = await this.#run(claim, values, options);
    if (row === undefined) return this.#noneFree(options);
    assertReplicated(notices, this.#name, `the claim of slot ${row.slot} is not used`);
    return {
      slot: Number(row.slot),
      now: readMs(row.now_ms),
      newReign: readChange(row.change),
      blank: row.blank === true,
    };
  }

  async open(slot: number, owner: string, waitMs: number, options?: CallOptions): Promise<Granted | Refused> {
    const { open } = await this.#texts(options);
    return this.#grant(open, slot, owner, waitMs, options);
  }

  async renew(slot: number, owner: string, until: number, options?: CallOptions): Promise<Granted | Refused> {
    const { renew } = await this.#texts(options);
    return this.#grant(renew, slot, owner, until, options);
  }

  async release(slot: number, owner: string, options?: CallOptions): Promise<void> {
    const { release } = await this.#texts(options);
    await this.#run(release, [this.#name, slot, owner], options);
  }

  /** All slots, and who holds them. */
  async holders(options?: CallOptions): Promise<NoneFree> {
    const { holders } = await this.#texts(options);
    const rows = await this.#rows(holders, [this.#name], options);
    return {
      slots: rows.rows.length,
      holders: rows.rows.filter(({ label }) => label !== null).map(readHolder),
    };
  }

  async close(): Promise<void> {
    if (this.#closeExecutor) await this.#executor.close();
  }

  async #noneFree(options: CallOptions | undefined): Promise<NoneFree> {
    const found = await this.holders(options);
    if (found.slots === 0) throw this.#noSlots();
    return found;
  }

  /** `bound` is what the statement compares the time with, its fifth parameter. */
  async #grant(
    text: string,
    slot: number,
    owner: string,
    bound: number,
    options: CallOptions | undefined,
  ): Promise<Granted | Refused> {
    const values = [
      this.#name,
      layoutText(this.#layout),
      slot,
      owner,
      bound,
      ...(this.#log ? [this.#label] : []),
    ];
    const { row, notices } = await this.#run(text, values, options);
    if (row === undefined) return { refusal: 'lost', againMs: 0, now: 0 };
    const now = readMs(row.now_ms);
    const newReign = readChange(row.change);
    if (row.refusal !== null) {
      const refusal = row.refusal as Refusal;
      return { refusal, againMs: againMs(refusal, row, now, bound), now };
    }
    const window = { slot, from: readMs(row.from_ms), until: readMs(row.granted_until) };
    assertReplicated(notices, this.#name, `the window of slot ${slot} up to ${window.until} is not used`);
    const stoodAt = readMs(row.stood_at);
    return { window, now, newReign, stoodAt };
  }

  async #texts(options: CallOptions | undefined): Promise<SlotStatements> {
    if (this.#statements === undefined) await this.describe(options);
    return this.#statements as SlotStatements;
  }

  #use(guard: ReignGuard): SlotStatements {
    this.#statements = statementsFor({
      table: this.#table,
      guard,
      unitMs: this.#layout.unitMs,
      log: this.#log,
    });
    return this.#statements;
  }

  #assertSlots({ slots, layouts }: Row): void {
    if (Number(slots) === 0) throw this.#noSlots();
    const own = layoutText(this.#layout);
    const found = (layouts as readonly string[]).filter((layout) => layout !== own);
    if (found.length === 0) return;
    throw new IdError(
      'ERR_IDS_CONFIG',
      this.#named(
        `the slots ${JSON.stringify(this.#name)} were created for the layout ${found.join(', ')}, and this generator has ` +
          `${own}: ids of different layouts can be equal`,
      ),
    );
  }

  /** Finds out by trying how much of the reign can be compared. */
  async #findGuard(
    facts: Row,
    options: CallOptions | undefined,
  ): Promise<{ readonly guard: ReignGuard; readonly missing?: string }> {
    if (facts.reign_columns !== true || facts.reign_usable !== true) {
      const why =
        facts.reign_columns === true
          ? 'the role may not use their columns; grant what slotGrants prints'
          : 'it lacks their columns; run ensureSlotSchema or slotSchema again';
      return { guard: 'off', missing: `promoted standbys and restored tables are not detected: ${why}` };
    }
    try {
      await this.#run(this.#use('full').change, [this.#name], options);
      return { guard: 'full' };
    } catch (error) {
      if (!isIdError(error) || !isUnsupported(error.cause)) throw error;
      const reason = error.cause instanceof Error ? error.cause.message : String(error.cause);
      return {
        guard: 'row',
        missing: `promoted standbys are not detected, because the server does not disclose its timeline: ${reason}`,
      };
    }
  }

  #triggerWarnings({ guards, replication_role: role }: Row): string[] {
    const enabled = Array.isArray(guards) ? guards : [];
    const needed = ['id_slot_guard', 'id_slot_guard_truncate', REIGN_TRIGGER];
    if (!needed.every((name) => enabled.includes(name))) {
      return [
        this.#named(
          `the triggers that refuse a lower until_ms, DELETE and TRUNCATE are missing or disabled; run ensureSlotSchema, or ALTER TABLE ${this.#table} ENABLE TRIGGER USER`,
        ),
      ];
    }
    if (role !== 'replica') return [];
    return [
      'session_replication_role is replica for this role or database, so its statements bypass the triggers of the slot table',
    ];
  }

  /** If a standby must confirm commits, the server's warning that it did not must be able to arrive here. */
  async #replicationWarnings(
    { standbys }: Row,
    embedded: boolean,
    options: CallOptions | undefined,
  ): Promise<readonly string[]> {
    if (standbys === '' || embedded) return [];
    const { notices } = await this.#run(WARNING_PROBE, [], options);
    return notices.length === 0 ? [WARNINGS_LOST] : [];
  }

  #noSlots(): IdError {
    return new IdError(
      'ERR_IDS_CONFIG',
      this.#named(`there are no slots ${JSON.stringify(this.#name)}; create them once with createSlots`),
    );
  }

  #named(text: string): string {
    return `${SLOT_TABLE.what} ${this.#table}: ${text}`;
  }

  async #run(text: string, values: readonly unknown[], options: CallOptions | undefined): Promise<SqlRow> {
    const { rows, notices } = await this.#rows(text, values, options);
    return { row: rows[0], notices };
  }

  async #rows(text: string, values: readonly unknown[], { signal }: CallOptions = {}) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#executor.execute(text, values, signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt < SERIALIZATION_ATTEMPTS && isSerializationFailure(error)) continue;
        throw sqlError(error, this.#table, values, SLOT_TABLE);
      }
    }
  }
}

function againMs(refusal: Refusal, row: Row, now: number, waitMs: number): number {
  if (refusal === 'early') return readMs(row.since_ms) + waitMs - now;
  return refusal === 'ahead' ? readMs(row.from_ms) - AHEAD_MS - now : 0;
}

function readChange(value: unknown): ReignChange | undefined {
  return value === 'failover' || value === 'restore' ? value : undefined;
}

function pendingWarning(change: ReignChange | undefined): string[] {
  return change === undefined ? [] : [`${CHANGE_TEXT[change]}; the next claim waits`];
}

function readHolder({ slot, label, since_ms: since, until_ms: until }: Row): Holder {
  return {
    slot: Number(slot),
    label: String(label),
    since: new Date(readMs(since)),
    until: new Date(readMs(until)),
  };
}

/** Drivers return a BIGINT as a string, a bigint or, with a parser of the user's own, a number. */
export function readMs(value: unknown): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= 0 && String(number) === String(value)) return number;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a time in the slot table must be a whole number of milliseconds, got ${String(value)}`,
  );
}
