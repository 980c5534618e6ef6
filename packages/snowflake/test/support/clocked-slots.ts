import type { SqlExecutor } from '@ids/store';
import type { SnowflakeOptions } from '../../src/index.js';

/** Slots named `order` on a shared server, whose clock the test sets. */
export interface ClockedSlots {
  readonly table: string;
  /** Where the table is. */
  readonly url: string;
  /** With which generators see the clock of the test. */
  readonly database: NonNullable<SnowflakeOptions['database']>;
  /** Sees the clock of the test. */
  readonly executor: SqlExecutor;
  /** Sets the database's clock: `offsetMs` from the system's, or standing still at `atMs`. */
  setClock(clock: { readonly offsetMs: number } | { readonly atMs: number }): Promise<void>;
}
