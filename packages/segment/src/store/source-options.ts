import type { LogOptions } from './grant-log.js';
import type { NewReignOptions } from './reign-change.js';
import type { TableOptions } from './table-name.js';

/** The options of a source over a table, whatever the dialect. */
export interface SqlSegmentSourceOptions extends TableOptions, LogOptions, NewReignOptions {
  /**
   * How far `max_id` of a table that went back may be raised, in ids; default 10^9. Beyond:
   * `ERR_IDS_REGRESSED`.
   */
  readonly maxJump?: number;
  /** Whether `close` also closes the executor; default false. */
  readonly closeExecutor?: boolean;
}
