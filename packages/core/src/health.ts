import type { IdErrorCode } from './id-error.js';

/** A snapshot of a generator's state. Taking it costs no I/O. */
export interface Health {
  /**
   * - `ok`: the next call is served without waiting for a backend's refill.
   * - `not-ready`: no id is at hand, and no backend failed: nothing was asked for yet, or the next ids are on
   *   their way. Calls wait, synchronous ones throw `ERR_IDS_NOT_READY`; `ready()` resolves when that is
   *   over.
   * - `degraded`: as `ok`, but a backend failed last time it was asked, or does not answer, or calls have
   *   got no id for a second; `lastError` says why.
   * - `down`: no id is at hand, and one of these holds; `lastError` says why. Calls wait, then fail.
   * - `closed`: `close()` was called.
   */
  readonly status: 'ok' | 'not-ready' | 'degraded' | 'down' | 'closed';
  /** Ids that can be given without asking a backend; absent where the strategy needs none. */
  readonly remaining?: number;
  /**
   * How many seconds `remaining` lasts at the present rate of use; absent while nothing is used, and
   * where no backend is needed.
   */
  readonly secondsLeft?: number;
  /**
   * When the last id of the range is reached at the present rate of all processes;
   * absent while that is unknown.
   */
  readonly exhaustedAt?: Date;
  /**
   * The last failure of a backend, kept until it answers again. Present exactly when the status
   * is `degraded` or `down`.
   */
  readonly lastError?: { readonly code: IdErrorCode; readonly message: string; readonly at: Date };
  /**
   * When this generator last found that a backend had lost what it had stored, or may
   * have: restored, failed over.
   */
  readonly lastRegression?: { readonly message: string; readonly at: Date };
}
