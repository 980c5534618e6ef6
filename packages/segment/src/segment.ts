import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';

/** A range of ids, from `low` to `high` inclusive. */
export interface Segment {
  readonly low: number;
  readonly high: number;
}

/** A segment whose ids may be issued until a given time. */
export interface ExpiringSegment extends Segment {
  /** The reading of `performance.now()` at which its ids expire; `Infinity`: never. */
  readonly expiresAt: number;
}

/** The last id: 2^53 - 1, the greatest integer that both JavaScript and Lua represent exactly. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;

/** The most ids that one segment may contain. Nine million such segments make up the whole range. */
export const MAX_STEP = 1_000_000_000;

/** Throws a `RangeError` unless `size` is a whole number from 1 to `MAX_STEP`. */
export function assertSegmentSize(size: number): void {
  if (!Number.isInteger(size) || size < 1 || size > MAX_STEP) {
    throw new RangeError(`size must be a whole number from 1 to ${MAX_STEP}, got ${String(size)}`);
  }
}

/** Throws a `RangeError` unless `value`, called `what`, is a whole number from 0 to 2^53 - 1. */
export function assertIdBound(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what} must be a whole number from 0 to 2^53 - 1, got ${String(value)}`);
  }
}

/**
 * Counts code points, as Postgres does. Rejects lone surrogates, because two different ones would become the
 * same name.
 */
const SEQUENCE_NAME = /^[^\p{Cc}\p{Cs}{}]{1,255}$/u;

/** What `isSequenceName` accepts, as error messages say it. */
export const SEQUENCE_NAME_RULE = '1 to 255 characters, no control characters, no braces';

/** Rejects braces, because a name becomes part of a Redis key, where they select the Cluster slot. */
export function isSequenceName(name: unknown): name is string {
  return typeof name === 'string' && SEQUENCE_NAME.test(name);
}

/** Throws `ERR_IDS_CONFIG` unless `name` is a valid name of a sequence. */
export function assertSequenceName(name: unknown): asserts name is string {
  if (isSequenceName(name)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a sequence name must be ${SEQUENCE_NAME_RULE}, got ${shownValue(name)}`,
  );
}
