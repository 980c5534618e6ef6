import type { IdErrorCode } from './id-error.js';

/** A snapshot of a generator's state. Taking it costs no I/O. */
export interface Health {
  /**
   * `ok`: serving. `degraded`: serving, but the backend behind it failed last time it was asked.
   * `down`: nothing to serve from, callers wait. `closed`: `close()` was called.
   */
  readonly status: 'ok' | 'degraded' | 'down' | 'closed';
  /** Ids that can be given without asking a backend; absent where the strategy needs none. */
  readonly remaining?: number;
  /** How many seconds `remaining` lasts at the present rate of use; absent while nothing is used, and where no backend is needed. */
  readonly secondsLeft?: number;
  /** When the last id of the range is reached at the present rate of all processes; absent while that is unknown. */
  readonly exhaustedAt?: Date;
  /** The last failure of a backend, kept until it answers again. */
  readonly lastError?: { readonly code: IdErrorCode; readonly message: string; readonly at: Date };
}
