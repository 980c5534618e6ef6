import { randomBytes, randomInt } from 'node:crypto';
import { IdError } from '@ids/core';
import { type CallOptions, readChange } from '@ids/store';
import { inDatabase, type MysqlExecutor, mysqlTable, type TableSql, tableSql } from '@ids/store/mysql';
import type { DescribedSlots, SlotUse } from '../table/dialect.js';
import {
  aboutTable,
  noSlots,
  readHolders,
  readMs,
  readReign,
  refusedAs,
  type SlotState,
} from '../table/slot-state.js';
import { SLOT_TABLE } from '../table/wording.js';
import { WINDOW_MS } from '../windows/lengths.js';
import type { Claimed, ClaimOptions, Granted, NoneFree, Refusal, Refused } from '../windows/slot-table.js';
import { describeSlots } from './slot-state.js';
import {
  claimedStatement,
  claimStatement,
  firstWindow,
  freeStatement,
  grantedStatement,
  grantStatement,
  holdersStatement,
  nextWindow,
  releaseStatement,
  type Slots,
  type WantedWindow,
} from './statements.js';

/** How many free slots are looked at, and how often: of claims that are made at once, each wants its own. */
const CANDIDATES = 16;
const ATTEMPTS = 10;

/** Slots in a table of MySQL; each step is one UPDATE that is durable before its answer is read. */
export class MysqlSlotTable implements DescribedSlots {
  readonly #sql: TableSql;
  /** With its database, as soon as the table was found there. */
  #slots: Slots;
  /** The settings with which the server was found to be durable. */
  #durability: string | undefined;
  readonly #owner: string;
  readonly #log: boolean;

  constructor(executor: MysqlExecutor, { name, table, layout, log, owner }: SlotUse) {
    this.#sql = tableSql(executor, table, SLOT_TABLE);
    this.#slots = { table: mysqlTable(table), name, layout };
    this.#owner = owner;
    this.#log = log;
  }

  async describe(options?: CallOptions): Promise<SlotState> {
    const { state, database, durability } = await describeSlots(this.#sql, this.#slots, this.#log, options);
    this.#durability = durability;
    // Of several first calls, on connections with different defaults, only one decides.
    const { table } = this.#slots;
    if (table.database === undefined) {
      this.#slots = { ...this.#slots, table: inDatabase(table, database) };
      return state;
    }
    return table.database === database || table.name.includes('.') ? state : this.describe(options);
  }

  async claim(token: string, options?: ClaimOptions): Promise<Claimed | NoneFree> {
    const slots = await this.#found(options);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const free = await this.#sql.rows(
        freeStatement(slots, CANDIDATES, options?.undoubted === true),
        options,
      );
      if (free.length === 0) break;
      // The first one was lost to somebody else: another one at random, or the same happens again.
      const slot = Number(free[attempt === 1 ? 0 : randomInt(free.length)]?.slot);
      const row = await this.#sql.change(
        claimStatement(slots, slot, token, this.#owner),
        claimedStatement(slots, slot, token),
        options,
      );
      // A row that names nothing to compare with counts as restored, so there is no other kind of blank.
      if (row === undefined) continue;
      return {
        slot,
        now: readMs(row.now_ms),
        newReign: readChange(row.noticed),
        reign: readReign(row.reign),
      };
    }
    const found = await this.holders(options);
    if (found.slots === 0) throw noSlots(this.#sql.table, slots.name);
    return found;
  }

  open(slot: number, token: string, waitMs: number, options?: CallOptions): Promise<Granted | Refused> {
    return this.#grant(firstWindow(slot, token, waitMs), waitMs, options);
  }

  renew(slot: number, token: string, until: number, options?: CallOptions): Promise<Granted | Refused> {
    return this.#grant(nextWindow(slot, token, until), 0, options);
  }

  async release(slot: number, token: string, options?: CallOptions): Promise<void> {
    await this.#sql.commit(releaseStatement(await this.#found(options), slot, token), options);
  }

  async holders(options?: CallOptions): Promise<NoneFree> {
    return readHolders(await this.#sql.rows(holdersStatement(await this.#found(options)), options));
  }

  async #grant(
    wanted: WantedWindow,
    waitMs: number,
    options: CallOptions | undefined,
  ): Promise<Granted | Refused> {
    const slots = await this.#found(options);
    const grantId = randomBytes(16).toString('hex');
    const row = await this.#sql.change(
      grantStatement(slots, wanted, grantId, this.#log),
      grantedStatement(slots, wanted, grantId),
      options,
    );
    if (row === undefined) return { refusal: 'lost', againMs: 0, now: 0 };
    // If a crash took this window back, a claim that does not wait would get the same time.
    if (row.durability !== this.#durability) await this.describe(options);
    if (row.durability !== this.#durability) throw this.#unknown(wanted.slot);
    if (Number(row.granted) !== 1) {
      if (row.refusal === null) throw this.#unknown(wanted.slot);
      return refusedAs(row.refusal as Refusal, row, readMs(row.now_ms), waitMs);
    }
    if (this.#log && Number(row.logged) !== 1) throw this.#sql.noLog('has no triggers');
    const until = readMs(row.until_ms);
    return {
      window: { slot: wanted.slot, from: until - WINDOW_MS, until },
      now: readMs(row.seen_ms),
      newReign: readChange(row.noticed),
      reign: readReign(row.reign),
      stoodAt: readMs(row.stood_at),
    };
  }

  /** The slots, with the database of their table, on a server that is known to be durable. */
  async #found(options: CallOptions | undefined): Promise<Slots> {
    if (this.#durability === undefined) await this.describe(options);
    return this.#slots;
  }

  /** Nothing speaks against a window now: the answer is not that of this statement, or it came too late. */
  #unknown(slot: number): IdError {
    return new IdError(
      'ERR_IDS_UNAVAILABLE',
      aboutTable(
        this.#sql.table,
        `it is unknown whether slot ${slot} was granted a window, so none is used: the row was locked for too long ` +
          'or changed at that moment, the server was set otherwise, or a proxy reads on another server than it writes',
      ),
    );
  }
}
