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
