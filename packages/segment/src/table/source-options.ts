import {
  assertIdBound,
  assertOwner,
  defaultOwner,
  type LogOptions,
  type NewReignOptions,
  type Skips,
  skipsOf,
  type TableOptions,
} from '@ids/store';
import { DEFAULT_MAX_JUMP } from '../segment-source.js';
import { DEFAULT_TABLE } from './wording.js';

/** The options of a source over a table, whatever the dialect. */
export interface SqlSegmentSourceOptions extends TableOptions, LogOptions, NewReignOptions {
  /**
   * How far `max_id` of a table that went back may be raised, in ids; default 10^9. On Postgres and MySQL,
   * what other heirs of the row may have skipped comes on top, if a reign began from it. A reservation that
   * needs more rejects with `ERR_IDS_REGRESSED`.
   */
  readonly maxJump?: number;
  /** Whether `close` also closes the executor; default false. */
  readonly closeExecutor?: boolean;
}

/** The same, checked, with defaults. */
export interface SourceSettings {
  readonly table: string;
  readonly maxJump: number;
  readonly closeExecutor: boolean;
  readonly skips: Skips;
  /** The label in the log; undefined without one. */
  readonly owner: string | undefined;
}

export function sourceSettings(options: SqlSegmentSourceOptions): SourceSettings {
  const { table = DEFAULT_TABLE, maxJump = DEFAULT_MAX_JUMP, closeExecutor = false, log = false } = options;
  const { owner = defaultOwner() } = options;
  assertIdBound('maxJump', maxJump);
  assertOwner(owner);
  return { table, maxJump, closeExecutor, skips: skipsOf(options), owner: log ? owner : undefined };
}
