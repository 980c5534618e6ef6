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
