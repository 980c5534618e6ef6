import type { CallOptions, DialectOption, LogOptions, Row, SqlExecutor, TableOptions } from '@ids/store';
import type { Layout, LayoutName } from '../ids/layout.js';
import type { NoneFree, SlotTable } from '../windows/slot-table.js';
import type { SlotState } from './slot-state.js';

/**
 * Everything that is not the same in every database: one value for each of them, `postgresDialect`,
 * `mysqlDialect` and `sqliteDialect`, whose parts have the same names, so that a reader can compare them one
 * by one. What each part does is written in `sql/any-dialect.ts`, which has checked the options.
 */
export interface SlotDialect<Executor extends SqlExecutor = SqlExecutor> {
  /** Adds the slots that are missing, of one layout only: slot 0 first, which decides the layout. */
  addSlots(executor: Executor, slots: NewSlots): Promise<void>;
  /** The statement that adds slots, without a semicolon. */
  addSql(slots: NewSlots): string;
  slots(executor: Executor, use: SlotUse): DescribedSlots;
  /** The entries of the grant log for an id, the latest first. */
  entriesOf(executor: Executor, asked: AskedId): Promise<readonly Row[]>;
}

/** Slots in a table whose state can be read. */
export interface DescribedSlots extends SlotTable {
  /**
   * Reads the slots. Rejects with `ERR_IDS_CONFIG` if there are none, if they belong to another layout, or
   * if the store could lose grants or cannot make any.
   */
  describe(options?: CallOptions): Promise<SlotState>;
  /** All slots, and who holds them. */
  holders(options?: CallOptions): Promise<NoneFree>;
}

/** The slots of a name in a table. */
interface Slots {
  readonly name: string;
  readonly table: string;
  readonly layout: Layout;
}

/** How a generator uses them. */
export interface SlotUse extends Slots {
  /** Whether grants are written to a log. */
  readonly log: boolean;
  /** Names the process, for people. */
  readonly owner: string;
}

export interface NewSlots extends Slots {
  /** How many in all. */
  readonly slots: number;
}

/** What an id contains, for a look at the grant log. */
export interface AskedId {
  readonly name: string;
  readonly table: string;
  readonly slot: number;
  /** In milliseconds since 1970. */
  readonly timeMs: number;
}

export interface SqlSlotTableOptions extends TableOptions, LogOptions {
  /** The slots, created once with `createSlots`. */
  readonly name: string;
  readonly layout: Layout;
}

export interface CreateSlotsOptions extends TableOptions {
  /** The layout of the ids, which cannot be changed later; default `41+10+12`. */
  readonly layout?: LayoutName | undefined;
  /** The epoch of the ids, in milliseconds since 1970; default 2025-01-01T00:00:00Z. */
  readonly epoch?: number | undefined;
  /** How many slots, from 1 to as many as the layout has, which is the default. More can be added later. */
  readonly slots?: number | undefined;
}

export type SlotsSqlOptions = CreateSlotsOptions & DialectOption;
