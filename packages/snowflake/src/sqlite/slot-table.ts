import { IdError } from '@ids/core';
import { type CallOptions, CHANGE_TEXT, type ReignChange, type Row } from '@ids/store';
import {
  missingSqliteParts,
  type SqliteExecutor,
  type SqliteStatement,
  type SqliteTableSql,
  sqliteTable,
  sqliteTableSql,
} from '@ids/store/sqlite';
import type { DescribedSlots, SlotUse } from '../table/dialect.js';
import {
  aboutTable,
  assertLayout,
  noSlots,
  readHolders,
  readMs,
  refusedAs,
  type SlotState,
} from '../table/slot-state.js';
import { SLOT_TABLE } from '../table/wording.js';
import type { Claimed, Granted, NoneFree, Refusal, Refused } from '../windows/slot-table.js';
import { SQLITE_SLOTS } from './schema.js';
import {
  claimStatement,
  describeStatement,
  firstWindow,
  grantStatement,
  holdersStatement,
  nextWindow,
  releaseStatement,
  type Slots,
  type WantedWindow,
} from './statements.js';

/** Slots in a table of SQLite; each step is one UPDATE that is durable before its answer is used. */
export class SqliteSlotTable implements DescribedSlots {
  readonly #executor: SqliteExecutor;
  readonly #sql: SqliteTableSql;
  readonly #slots: Slots;
  readonly #owner: string;
  readonly #log: boolean;

  constructor(executor: SqliteExecutor, { name, table, layout, log, owner }: SlotUse) {
    this.#executor = executor;
    this.#sql = sqliteTableSql(executor, table, SLOT_TABLE);
    this.#slots = { table: sqliteTable(table), name, layout };
    this.#owner = owner;
    this.#log = log;
  }

  async describe(options?: CallOptions): Promise<SlotState> {
    const { name, layout } = this.#slots;
    const { table } = this.#sql;
    const home = await this.#sql.home(options);
    const [row = {}] = await this.#rows(describeStatement(this.#slots, home.id), options);
    if (this.#log) await this.#assertLog();
    if (Number(row.slots) === 0) throw noSlots(table, name);
    assertLayout(table, name, layout, String(row.layouts).split(','));
    const restored = Number(row.foreign_rows) > 0;
    const pending = aboutTable(table, `${CHANGE_TEXT.restore}; the next claim waits`);
    return {
      slots: Number(row.slots),
      grantedUntil: readMs(row.granted_until),
      now: readMs(row.now_ms),
      warnings: [...home.warnings, ...(restored ? [pending] : [])],
    };
  }

  async claim(token: string, options?: CallOptions): Promise<Claimed | NoneFree> {
    const home = await this.#home(options);
    const [row] = await this.#rows(claimStatement(this.#slots, token, this.#owner, home), options);
    if (row === undefined) return this.#noneFree(options);
    // Another file may have been put there before the statement, and its row may name the former one.
    const replaced = (await this.#home(options)) !== home;
    return {
      slot: Number(row.slot),
      now: readMs(row.now_ms),
      newReign: replaced ? 'restore' : readNoticed(row),
      blank: row.noticed === 'blank',
    };
  }

  open(slot: number, token: string, waitMs: number, options?: CallOptions): Promise<Granted | Refused> {
    return this.#grant(firstWindow(slot, token, waitMs), options);
  }

  renew(slot: number, token: string, until: number, options?: CallOptions): Promise<Granted | Refused> {
    return this.#grant(nextWindow(slot, token, until), options);
  }

  async release(slot: number, token: string, options?: CallOptions): Promise<void> {
    await this.#rows(releaseStatement(this.#slots, slot, token), options);
  }

  async holders(options?: CallOptions): Promise<NoneFree> {
    return readHolders(await this.#rows(holdersStatement(this.#slots), options));
  }

  async #noneFree(options: CallOptions | undefined): Promise<NoneFree> {
    const found = await this.holders(options);
    if (found.slots === 0) throw noSlots(this.#sql.table, this.#slots.name);
    return found;
  }

  async #grant(wanted: WantedWindow, options: CallOptions | undefined): Promise<Granted | Refused> {
    const home = await this.#home(options);
    const [row] = await this.#rows(grantStatement(this.#slots, wanted, home, this.#log), options);
    if (row === undefined) return { refusal: 'lost', againMs: 0, now: 0 };
    const now = readMs(row.now_ms);
    if (row.refusal === 'unlogged') throw noLog(this.#sql.table);
    if (row.refusal !== null) return refusedAs(row.refusal as Refusal, row, now, wanted.bound);
    return {
      window: { slot: wanted.slot, from: readMs(row.from_ms), until: readMs(row.until_ms) },
      now,
      newReign: readNoticed(row),
      stoodAt: readMs(row.stood_at),
    };
  }

  /** Which database this is. Rejects where a crash could lose commits, which can be set at any time. */
  async #home(options: CallOptions | undefined): Promise<string> {
    return (await this.#sql.home(options)).id;
  }

  #rows({ text, values }: SqliteStatement, options: CallOptions | undefined): Promise<readonly Row[]> {
    return this.#sql.rows(text, values, options);
  }

  async #assertLog(): Promise<void> {
    const { table } = this.#sql;
    const missing = await missingSqliteParts(SQLITE_SLOTS, this.#executor, table, true);
    if (missing.includes('log')) throw noLog(table);
  }
}

function readNoticed({ noticed }: Row): ReignChange | undefined {
  return noticed === 'restore' ? noticed : undefined;
}

function noLog(table: string): IdError {
  const text = `its grant log ${table}_log is missing or has no triggers; create it with ensureSlotSchema({ log: true })`;
  return new IdError('ERR_IDS_CONFIG', aboutTable(table, text));
}
