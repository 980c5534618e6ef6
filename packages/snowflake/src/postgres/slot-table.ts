import { type CallOptions, readChange, type SqlExecutor } from '@ids/store';
import { assertReplicated, type RunOn, runOn } from '@ids/store/postgres';
import { layoutText } from '../ids/layout.js';
import type { DescribedSlots, SlotUse } from '../table/dialect.js';
import { noSlots, readHolders, readMs, readReign, refusedAs, type SlotState } from '../table/slot-state.js';
import { SLOT_TABLE } from '../table/wording.js';
import type { Claimed, ClaimOptions, Granted, NoneFree, Refusal, Refused } from '../windows/slot-table.js';
import { describeSlots } from './slot-state.js';
import { type SlotStatements, statementsFor } from './statements.js';

/** Slots in a Postgres table; each step is one statement that is durable before its answer is used. */
export class PostgresSlotTable implements DescribedSlots {
  readonly #executor: SqlExecutor;
  readonly #run: RunOn;
  readonly #use: SlotUse;
  #statements: SlotStatements | undefined;
  /** Whether claims notice whatever happened to the table. */
  #complete = false;

  constructor(executor: SqlExecutor, use: SlotUse) {
    this.#executor = executor;
    this.#run = runOn(executor, use.table, SLOT_TABLE);
    this.#use = use;
  }

  async describe(options?: CallOptions): Promise<SlotState> {
    const { state, guard, complete } = await describeSlots(this.#executor, this.#use, options);
    this.#complete = complete;
    this.#statements = statementsFor(this.#use, guard);
    return state;
  }

  async claim(token: string, options?: ClaimOptions): Promise<Claimed | NoneFree> {
    const { name, layout, owner } = this.#use;
    const { claim } = await this.#texts(options);
    const values = [name, layoutText(layout), token, owner, options?.undoubted === true];
    const { rows, notices } = await this.#run(claim, values, options);
    const [row] = rows;
    if (row === undefined) return this.#noneFree(options);
    assertReplicated(notices, name, `the claim of slot ${row.slot} is not used`);
    return {
      slot: Number(row.slot),
      now: readMs(row.now_ms),
      newReign: readChange(row.change),
      reign: readReign(row.reign),
      blank: row.blank === true || !this.#complete,
    };
  }

  async open(slot: number, token: string, waitMs: number, options?: CallOptions): Promise<Granted | Refused> {
    const { open } = await this.#texts(options);
    return this.#grant(open, slot, token, waitMs, options);
  }

  async renew(slot: number, token: string, until: number, options?: CallOptions): Promise<Granted | Refused> {
    const { renew } = await this.#texts(options);
    return this.#grant(renew, slot, token, until, options);
  }

  async release(slot: number, token: string, options?: CallOptions): Promise<void> {
    const { release } = await this.#texts(options);
    await this.#run(release, [this.#use.name, slot, token], options);
  }

  async holders(options?: CallOptions): Promise<NoneFree> {
    const { holders } = await this.#texts(options);
    return readHolders((await this.#run(holders, [this.#use.name], options)).rows);
  }

  async #noneFree(options: CallOptions | undefined): Promise<NoneFree> {
    const found = await this.holders(options);
    if (found.slots === 0) throw noSlots(this.#use.table, this.#use.name);
    return found;
  }

  /** `bound` is what the statement compares the time with, its fifth parameter. */
  async #grant(
    text: string,
    slot: number,
    token: string,
    bound: number,
    options: CallOptions | undefined,
  ): Promise<Granted | Refused> {
    const { name, layout, log, owner } = this.#use;
    const values = [name, layoutText(layout), slot, token, bound, ...(log ? [owner] : [])];
    const { rows, notices } = await this.#run(text, values, options);
    const [row] = rows;
    if (row === undefined) return { refusal: 'lost', againMs: 0, now: 0 };
    const now = readMs(row.now_ms);
    const newReign = readChange(row.change);
    if (row.refusal !== null) return refusedAs(row.refusal as Refusal, row, now, bound);
    const window = { slot, from: readMs(row.from_ms), until: readMs(row.granted_until) };
    assertReplicated(notices, name, `the window of slot ${slot} up to ${window.until} is not used`);
    const stoodAt = readMs(row.stood_at);
    return { window, now, newReign, reign: readReign(row.reign), stoodAt };
  }

  async #texts(options: CallOptions | undefined): Promise<SlotStatements> {
    if (this.#statements === undefined) await this.describe(options);
    return this.#statements as SlotStatements;
  }
}
