import type { Counters } from './counters.js';
import type { Guarantees } from './guarantees.js';
import type { Health } from './health.js';
import type { Id } from './id.js';

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
  /** Throws `ERR_IDS_NOT_READY` when nothing is in memory yet; `ready()` mends that. */
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
