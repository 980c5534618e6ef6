import { IdError, type RequestOptions } from '@ids/core';
import {
  LAST_ID,
  type NewReign,
  type Reinstated,
  type ReinstateOptions,
  type SequenceState,
} from '@ids/segment';
import type { Origin } from '@ids/store';

/** How many ids of one key are wanted. */
export interface KeyRequest {
  /** As `assertKey` accepts it. */
  readonly key: string;
  /** How many ids, from 1. */
  readonly size: number;
  /**
   * How many ids a new key skips above the start of new keys, which is the `maxId` of its family or the
   * beginning of the group; 0 by default. A key whose row was lost starts higher then: the change of the
   * reign has raised the family.
   */
  readonly startAfter?: number | undefined;
  /**
   * An id of this key that is known to have been reserved before. What is reserved is above it, and above
   * what the store may have lost besides, even if the store went back. Pass it only after ids at or below it
   * were seen.
   */
  readonly floor?: number | undefined;
}

export interface KeyedReserveOptions extends RequestOptions {
  /**
   * Whether to wait for a key whose row somebody else has locked. Otherwise its answer is `missed`, so that
   * it does not delay the other keys.
   */
  readonly wait: boolean;
  /** How many keys may get their first ids by this call; no limit by default. */
  readonly newKeys?: number | undefined;
  /**
   * How long the caller waits, in milliseconds, above 0. The store should give up before that and reserve
   * nothing, so that no ids are lost.
   */
  readonly timeoutMs?: number | undefined;
  /** As in `ReserveOptions`, of the row of the family. */
  readonly within?: Origin | undefined;
}

/** What became of the request for one key. */
export type KeyAnswer =
  /**
   * The ids from `high - size + 1` to `high` are reserved, or if they do not follow one another, those of
   * `ids`, which increase up to `high`. `isNew`: they are the first ones of the key.
   * `expiresAt`: the reading of `performance.now()` from which on they must not be issued to calls that were
   * made after the request, because the day, month or year in them is over; absent: never. It is based on the
   * store's clock, and early by at most one round trip; it may be the end of the group before for a key that
   * is ahead of that clock.
   */
  | {
      readonly high: number;
      readonly ids?: readonly number[] | undefined;
      readonly isNew: boolean;
      readonly newReign?: NewReign['cause'] | undefined;
      readonly expiresAt?: number | undefined;
    }
  /**
   * Nothing is there to be used. `locked`: somebody else holds the lock of this key, or has just created it.
   * `new`: the key is new, and the call already has as many new keys as `newKeys` allows. `late`: the others
   * did not wait for it; a call for many keys may succeed.
   */
  | { readonly missed: 'locked' | 'new' | 'late' }
  /**
   * Nothing is reserved, nor will be before somebody acts or the next group begins: `ERR_IDS_EXHAUSTED`,
   * `ERR_IDS_REGRESSED` or `ERR_IDS_CLOCK`.
   */
  | { readonly refused: IdError }
  /**
   * This key takes longer than the others. The promise resolves with another answer, or rejects as `reserve`
   * does, shortly after the end of `timeoutMs` at the latest. Not returned with `wait`.
   */
  | { readonly later: Promise<KeyAnswer> };

export interface KeyedAnswer {
  /** In the order of the requests. */
  readonly keys: readonly KeyAnswer[];
  /** Where they were reserved; undefined if the source does not know. */
  readonly origin?: Origin | undefined;
}

/**
 * A store of families of sequences, one sequence for each key. The family itself is a sequence of which no
 * ids are issued: its `maxId` is the id after which new keys start. So it is created, described and raised
 * like any sequence. A change of the reign raises it, since a key that seems to be new may have been lost.
 *
 * A family with groups restarts all of its keys in each day, month or year: no key, old or new, is below the
 * beginning of the current group by the store's clock.
 *
 * Every step may reach another server than the one before, also a former primary that still answers. A
 * request that runs twice, or late, reserves other ids. If its answer is lost, nobody issues them.
 */
export interface KeyedSource {
  /** Reads a family. Rejects with `ERR_IDS_CONFIG` if there is none of that name. */
  describe(family: string, options?: RequestOptions): Promise<SequenceState>;
  /**
   * Reserves ids of several keys, which must differ, durably before it resolves. What is wrong with one key
   * is in its answer, and changes nothing for the others. Rejects with
   *
   * - `ERR_IDS_CONFIG` if there is no such family,
   * - `SequenceMovedError` if `within` does not match,
   * - `ERR_IDS_REGRESSED` if the family may have lost keys, and the store does not skip ids by itself,
   * - `ERR_IDS_TIMEOUT` if a key is locked for too long,
   * - `ERR_IDS_UNAVAILABLE` if the store cannot be reached.
   *
   * After a rejection, ids may or may not have been reserved; they are never returned later.
   */
  reserve(
    family: string,
    requests: readonly KeyRequest[],
    options: KeyedReserveOptions,
  ): Promise<KeyedAnswer>;
  /** As in `SegmentSource`, of the row of the family: each key skips what its successor may have issued. */
  reinstate?(family: string, options: ReinstateOptions): Promise<Reinstated | undefined>;
  /** The greatest id of a key that was reserved; undefined for a key without ids. */
  highest(family: string, key: string, options?: RequestOptions): Promise<number | undefined>;
  /** Closes what the source opened itself. Idempotent. */
  close(): Promise<void>;
}

// The errors that every source reports in the same words.

/** For messages: `sequence "message", key "group:42"`. */
export function sequenceOf(family: string, key: string): string {
  return `sequence ${JSON.stringify(family)}, key ${JSON.stringify(key)}`;
}

export function keyExhausted(family: string, { key, size }: KeyRequest): IdError {
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `${sequenceOf(family, key)}: fewer than ${size} ids are left up to the last one, ${LAST_ID}`,
  );
}

export function noSuchFamily(family: string, where: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `there is no sequence ${JSON.stringify(family)} in ${where}; create it once with createSequence`,
  );
}
