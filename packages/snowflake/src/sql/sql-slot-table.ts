import { defaultOwner, type LogOptions, type SqlExecutor } from '@ids/segment/sql';
import { assertOwner, assertReplicated, assertSequenceName, type Row, readChange } from '@ids/segment/table';
import { type Layout, layoutText } from '../layout.js';
import type {
  CallOptions,
  Claimed,
  Granted,
  Holder,
  NoneFree,
  Refusal,
  Refused,
  SlotTable,
} from '../slot-table.js';
import { AHEAD_MS } from '../windows.js';
import { DEFAULT_SLOT_TABLE, type SlotTableOptions } from './slot-schema.js';
import { readMs, SlotSql } from './slot-sql.js';
import { describeSlots, noSlots, type SlotState } from './slot-state.js';
import { type SlotStatements, statementsFor } from './slot-statements.js';

export interface SqlSlotTableOptions extends SlotTableOptions, LogOptions {
  /** The slots, created once with `createSlots`. */
  readonly name: string;
  readonly layout: Layout;
  /** Whether `close` also closes the executor; default false. */
  readonly closeExecutor?: boolean;
}

/** Slots in a Postgres table; each step is one statement that is durable before its answer is used. */
export class SqlSlotTable implements SlotTable {
  readonly #executor: SqlExecutor;
  readonly #sql: SlotSql;
  readonly #name: string;
  readonly #layout: Layout;
  readonly #label: string;
  readonly #log: boolean;
  readonly #closeExecutor: boolean;
  #statements: SlotStatements | undefined;
  /** Whether claims notice whatever happened to the table. */
  #complete = false;

  constructor(executor: SqlExecutor, options: SqlSlotTableOptions) {
    const { name, layout, table = DEFAULT_SLOT_TABLE, log = false, closeExecutor = false } = options;
    const { owner = defaultOwner() } = options;
    assertSequenceName(name);
    assertOwner(owner);
    this.#executor = executor;
    this.#sql = new SlotSql(executor, table);
    this.#name = name;
    this.#layout = layout;
    this.#label = owner;
    this.#log = log;
    this.#closeExecutor = closeExecutor;
  }

  /**
   * Reads the slots. Rejects with `ERR_IDS_CONFIG` if there are none, if they belong to another layout, or
   * if the store could lose grants or cannot make any.
   */
  async describe(options?: CallOptions): Promise<SlotState> {
    const { state, guard, complete } = await describeSlots(
      this.#sql,
      { name: this.#name, layout: this.#layout, log: this.#log },
      options,
    );
    this.#complete = complete;
    this.#statements = statementsFor({
      table: this.#sql.table,
      guard,
      layout: this.#layout,
      log: this.#log,
    });
    return state;
  }

  async claim(owner: string, options?: CallOptions): Promise<Claimed | NoneFree> {
    const { claim } = await this.#texts(options);
    const values = [this.#name, layoutText(this.#layout), owner, this.#label];
    const { row, notices } = await this.#sql.run(claim, values, options);
    if (row === undefined) return this.#noneFree(options);
    assertReplicated(notices, this.#name, `the claim of slot ${row.slot} is not used`);
    return {
      slot: Number(row.slot),
      now: readMs(row.now_ms),
      newReign: readChange(row.change),
      blank: row.blank === true || !this.#complete,
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
    await this.#sql.run(release, [this.#name, slot, owner], options);
  }

  /** All slots, and who holds them. */
  async holders(options?: CallOptions): Promise<NoneFree> {
    const { holders } = await this.#texts(options);
    const { rows } = await this.#sql.rows(holders, [this.#name], options);
    return {
      now: readMs(rows[0]?.now_ms ?? 0),
      slots: rows.length,
      holders: rows.filter(({ label }) => label !== null).map(readHolder),
    };
  }

  async close(): Promise<void> {
    if (this.#closeExecutor) await this.#executor.close();
  }

  async #noneFree(options: CallOptions | undefined): Promise<NoneFree> {
    const found = await this.holders(options);
    if (found.slots === 0) throw noSlots(this.#sql, this.#name);
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
    const { row, notices } = await this.#sql.run(text, values, options);
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
}

function againMs(refusal: Refusal, row: Row, now: number, waitMs: number): number {
  if (refusal === 'early') return readMs(row.since_ms) + waitMs - now;
  return refusal === 'ahead' ? readMs(row.from_ms) - AHEAD_MS - now : 0;
}

function readHolder({ slot, label, since_ms: since, until_ms: until }: Row): Holder {
  return {
    slot: Number(slot),
    label: String(label),
    since: new Date(readMs(since)),
    until: new Date(readMs(until)),
  };
}
