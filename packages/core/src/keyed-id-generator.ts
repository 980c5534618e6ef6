/// <reference lib="esnext.disposable" preserve="true" />
import type { Guarantees } from './guarantees.js';
import type { Counters, Health, Id, IdGenerator, RequestOptions } from './id-generator.js';

/** Options of a single request for ids of a key. */
export interface KeyedRequestOptions extends RequestOptions {
  /**
   * If this request is the first one for its key, it starts this far above where keys of its family start: a
   * whole number from 0 to 2^53 - 1. Otherwise it changes nothing. By default 0.
   */
  readonly startAfter?: number | undefined;
}

/**
 * Many sequences of one family: a number per chat group, per customer, per counter. A key needs no set-up:
 * its first request starts it. What `guarantees` promises holds for the ids of one key.
 *
 * A key is a string of at most 255 bytes in UTF-8. Keys are compared byte by byte, so `a` and `A` differ, and
 * so do two spellings of one accent. A call rejects with a `TypeError` for a key that is no string or is not
 * well-formed Unicode, and with a `RangeError` for one that is too long.
 */
export interface KeyedIdGenerator<T extends Id = Id> extends AsyncDisposable {
  /** The strategy's name, as used in config files. */
  readonly strategy: string;
  /** What this generator promises for the ids of one key, as data. */
  readonly guarantees: Guarantees;
  /** Resolves with the next id of `key`, or rejects. */
  next(key: string, options?: KeyedRequestOptions): Promise<T>;
  /** Resolves with exactly `count` ids of `key`; otherwise like `nextBatch` of `IdGenerator`. */
  nextBatch(key: string, count: number, options?: KeyedRequestOptions): Promise<T[]>;
  /**
   * The sequence of one key as a generator, for whatever takes one. It costs an object and no call. Closing
   * it closes nothing else.
   */
  of(key: string): IdGenerator<T>;
  /**
   * Resolves with the greatest id of `key` that may have been issued, by any process: the count of messages,
   * from which a reader subtracts what was read. `undefined` before the first one.
   */
  highest(key: string, options?: RequestOptions): Promise<T | undefined>;
  /** Resolves once the store has answered. */
  ready(options?: RequestOptions): Promise<void>;
  /** A snapshot of the whole family, taken without I/O. */
  health(): Health;
  /** Totals of all keys since the generator was opened, without I/O; available after `close` too. */
  counters?(): Counters;
  /** Closes the generator. Pending calls settle; later ones reject with `ERR_IDS_CLOSED`. Idempotent. */
  close(): Promise<void>;
}
