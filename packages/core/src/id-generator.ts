/// <reference lib="esnext.disposable" preserve="true" />
import type { Guarantees } from './guarantees.js';
import type { IdErrorCode } from './id-error.js';

/** An id. Always a primitive, so that it works as a JSON value, a Map key and a SQL parameter. */
export type Id = string | number | bigint;

/**
 * What a generator did since it was opened. Every number only rises; one that a
 * strategy cannot count is absent.
 */
export interface Counters {
  /** Ids given to callers of this generator. */
  readonly idsIssued?: number;
  /** Ids that this process threw away unused. What a crash burns is counted by nobody. */
  readonly idsDiscarded?: number;
  /** Segments that arrived, and how long these answers took together, in seconds. */
  readonly refills?: number;
  readonly refillSeconds?: number;
  /** Attempts to fetch a segment that failed. */
  readonly refillFailures?: number;
  /**
   * Times that the source of segments was found to have gone back, or to have another history than before.
   */
  readonly regressions?: number;
  /** Calls that found too few ids in memory and had to wait, also those that failed. */
  readonly waits?: number;
  /** How long callers waited: of calls that ended together, the longest. In seconds. */
  readonly waitSeconds?: number;
  /** Synchronous calls that threw `ERR_IDS_NOT_READY`. */
  readonly notReady?: number;
  /** Requests for ids that a shared dispenser answered. */
  readonly takes?: number;
  /** Times that the state of a shared dispenser was found lost or replaced, by this process. */
  readonly stateLosses?: number;
  /** Calls that ran out of time. */
  readonly timeouts?: number;
}

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

/** What a caller may say about one request. */
export interface RequestOptions {
  /** Stops the wait, not the work behind it: a refill under way goes on and its ids are kept for others. */
  readonly signal?: AbortSignal;
}

/**
 * The one interface of all strategies. Obtain one from a strategy's factory, from `createIds` or from a
 * config file; whoever obtains it closes it.
 */
export interface IdGenerator<T extends Id = Id> extends AsyncDisposable {
  /** The strategy's name, as it is written in config files. */
  readonly strategy: string;
  /** What this generator promises, as data. The conformance kit tests every claim made here. */
  readonly guarantees: Guarantees;
  /** Resolves with an id or rejects; never both silent and wrong. */
  next(options?: RequestOptions): Promise<T>;
  /**
   * Exactly `count` ids, in issue order. `0` gives `[]`; a count that is negative, fractional or above
   * `MAX_BATCH` is a `RangeError`.
   */
  nextBatch(count: number, options?: RequestOptions): Promise<T[]>;
  /** Resolves once the generator can serve without waiting (first segment fetched). */
  ready(options?: RequestOptions): Promise<void>;
  /** A snapshot, taken without I/O, fit for a health endpoint. */
  health(): Health;
  /**
   * What happened since it was opened, without I/O, also after `close`; absent where a
   * strategy counts nothing.
   */
  counters?(): Counters;
  /** Idempotent. Pending calls settle; later ones reject with `ERR_IDS_CLOSED`. */
  close(): Promise<void>;
}

/**
 * Strategies that can serve from process memory: ORMs (Drizzle `$defaultFn`, Mongoose
 * `default`) call synchronously.
 */
export interface SyncIdGenerator<T extends Id = Id> extends IdGenerator<T> {
  /** Throws `ERR_IDS_NOT_READY` when nothing is in memory yet; await `ready()` first. */
  nextSync(): T;
  /**
   * As `nextBatch`, from memory. All of `count` or an error, never fewer: `ERR_IDS_NOT_READY` also when some
   * ids are in memory but not as many; the next `ready()` waits for that many.
   */
  nextBatchSync(count: number): T[];
}

/** True for generators with the synchronous calls; agrees with `guarantees.sync`. */
export function isSyncGenerator<T extends Id>(generator: IdGenerator<T>): generator is SyncIdGenerator<T> {
  return typeof (generator as Partial<SyncIdGenerator<T>>).nextSync === 'function';
}
