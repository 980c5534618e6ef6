import { IdError, shownValue } from '@ids/core';

/** A closed range of ids, `low` to `high` inclusive. A dispenser hands out currId = low .. maxId = high. */
export interface Segment {
  readonly low: number;
  readonly high: number;
}

/** The last id there is: 2^53 - 1, the greatest integer that JavaScript and Lua both hold exactly. */
export const LAST_ID = Number.MAX_SAFE_INTEGER;

/** The most ids one segment may hold, inclusive. Nine million such segments make up the whole range. */
export const MAX_STEP = 1_000_000_000;

/** Throws a `RangeError` unless `size` is a whole number from 1 to `MAX_STEP`. */
export function assertSegmentSize(size: number): void {
  if (!Number.isInteger(size) || size < 1 || size > MAX_STEP) {
    throw new RangeError(`size must be a whole number from 1 to ${MAX_STEP}, got ${String(size)}`);
  }
}

/**
 * Throws a `RangeError` unless `value` is a whole number from 0 to 2^53 - 1. `what` names it in the message.
 */
export function assertIdBound(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what} must be a whole number from 0 to 2^53 - 1, got ${String(value)}`);
  }
}

/**
 * Code points are counted, as Postgres counts them. Lone surrogates are refused: two of
 * them would become one name.
 */
const SEQUENCE_NAME = /^[^\p{Cc}\p{Cs}{}]{1,255}$/u;

/** What `isSequenceName` accepts, for error messages. */
export const SEQUENCE_NAME_RULE = '1 to 255 characters, no control characters, no braces';

/** Braces are refused because a name becomes part of a Redis key, where they choose the Cluster slot. */
export function isSequenceName(name: unknown): name is string {
  return typeof name === 'string' && SEQUENCE_NAME.test(name);
}

/** Throws `ERR_IDS_CONFIG` unless `name` can name a sequence. */
export function assertSequenceName(name: unknown): asserts name is string {
  if (isSequenceName(name)) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `a sequence name must be ${SEQUENCE_NAME_RULE}, got ${shownValue(name)}`,
  );
}
