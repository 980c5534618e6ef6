/// <reference lib="esnext.disposable" preserve="true" />
import type { Guarantees } from './guarantees.js';
import type { IdErrorCode } from './id-error.js';

declare global {
  // Merged with that of the DOM or of Node.js. Without either, declarations that name it compile as well.
  interface AbortSignal {
    readonly aborted: boolean;
  }
}

/** An id. Always a primitive, so that it works as a Map key and as an SQL parameter. */
export type Id = string | number | bigint;

/**
 * What a generator has done since it was opened. The numbers never decrease; those that a strategy cannot
 * count are absent.
 */
export interface Counters {
  /** Ids issued to callers of this generator. */
  readonly idsIssued?: number;
  /** Ids that this process discarded unused. Ids lost in a crash are not counted. */
  readonly idsDiscarded?: number;
  /** Segments received. */
  readonly refills?: number;
  /** The total time it took to fetch them, in seconds. */
  readonly refillSeconds?: number;
  /** Failed attempts to fetch a segment. */
  readonly refillFailures?: number;
  /**
   * How often the source of segments was found to have gone back, or to have a different history than before.
   */
  readonly regressions?: number;
  /** Calls that had to wait because too few ids were in memory, including those that failed. */
  readonly waits?: number;
  /** How long callers waited, in seconds. If several calls end together, only the longest wait counts. */
  readonly waitSeconds?: number;
  /** Synchronous calls that threw `ERR_IDS_NOT_READY`. */
  readonly notReady?: number;
  /** Requests for ids that a shared dispenser answered. */
  readonly takes?: number;
  /** How often this process found the state of a shared dispenser lost or replaced; by key, that of each. */
  readonly stateLosses?: number;
  /** Calls that timed out. */
  readonly timeouts?: number;
  /** Keys whose first ids this process reserved. */
  readonly newKeys?: number;
}

/** A snapshot of a generator's state. */
export interface Health {
  /**
   * - `ok`: the next call is served without waiting for a refill.
   * - `not-ready`: no id is available, and no backend has failed: none was asked yet, or the next ids are on
   *   their way. Calls wait; synchronous calls throw `ERR_IDS_NOT_READY`; `ready()` resolves once ids have
   *   arrived.
   * - `degraded`: ids are available, but the last request to a backend failed or is not being answered, or
   *   calls have received no id for a second; `lastError` says why.
   * - `down`: no id is available, for one of these reasons; `lastError` says which. Calls wait, then fail.
   * - `closed`: `close()` was called.
   */
  readonly status: 'ok' | 'not-ready' | 'degraded' | 'down' | 'closed';
  /** Ids that can be issued without a refill; absent if the strategy needs no backend. */
  readonly remaining?: number;
  /**
   * How long `remaining` lasts at the present rate, in seconds; absent while no ids are being used, and if
   * the strategy needs no backend.
   */
  readonly secondsLeft?: number;
  /** When the id range runs out at the present rate of all processes; absent while the rate is unknown. */
  readonly exhaustedAt?: Date;
  /**
   * The last failure of a backend, until it answers again. Present if and only if the status is `degraded` or
   * `down`.
   */
  readonly lastError?: { readonly code: IdErrorCode; readonly message: string; readonly at: Date };
  /**
   * The last time this generator found that a backend had lost data, or might have: after a restore or a
   * failover.
   */
  readonly lastRegression?: { readonly message: string; readonly at: Date };
}

/** Options of a single request. */
export interface RequestOptions {
  /**
   * Ends the wait but not the work behind it: a refill in progress continues, and its ids are kept for other
   * calls.
   */
  readonly signal?: AbortSignal;
}

/**
 * The interface that all strategies implement. Obtain a generator from a strategy's factory, from `createIds`
 * or from a config file. Whoever obtains it must close it.
 */
export interface IdGenerator<T extends Id = Id> extends AsyncDisposable {
  /** The strategy's name, as used in config files. */
  readonly strategy: string;
  /** What this generator promises, as data. The conformance kit tests every promise. */
  readonly guarantees: Guarantees;
  /** Resolves with an id, or rejects. */
  next(options?: RequestOptions): Promise<T>;
  /**
   * Resolves with exactly `count` ids, in order of issue; with `[]` for `0`. Rejects with a `RangeError` if
   * `count` is negative, fractional or above `MAX_BATCH`.
   */
  nextBatch(count: number, options?: RequestOptions): Promise<T[]>;
  /**
   * Resolves once the generator can issue an id without waiting, for example when its first segment has
   * arrived.
   */
  ready(options?: RequestOptions): Promise<void>;
  /** A snapshot, taken without I/O, suitable for a health endpoint. */
  health(): Health;
  /**
   * Totals since the generator was opened, without I/O; available after `close` too. Absent if the strategy
   * counts nothing.
   */
  counters?(): Counters;
  /** Closes the generator. Pending calls settle; later ones reject with `ERR_IDS_CLOSED`. Idempotent. */
  close(): Promise<void>;
}

/**
 * A generator that can issue ids synchronously, from process memory: ORMs (Drizzle `$defaultFn`, Mongoose
 * `default`) call it that way.
 */
export interface SyncIdGenerator<T extends Id = Id> extends IdGenerator<T> {
  /** Returns an id from memory. Throws `ERR_IDS_NOT_READY` if there is none; await `ready()` first. */
  nextSync(): T;
  /**
   * Returns exactly `count` ids from memory, never fewer; otherwise like `nextBatch`. Throws
   * `ERR_IDS_NOT_READY` if fewer are in memory; the next `ready()` then waits for that many.
   */
  nextBatchSync(count: number): T[];
}

/** Whether `generator` has the synchronous calls; the same as `guarantees.sync`. */
export function isSyncGenerator<T extends Id>(generator: IdGenerator<T>): generator is SyncIdGenerator<T> {
  return typeof (generator as Partial<SyncIdGenerator<T>>).nextSync === 'function';
}
