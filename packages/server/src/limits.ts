import { MAX_BATCH } from '@ids/core';

/** What a server takes on. Each is a whole number from 1. */
export interface Limits {
  /** The longest body of a request, in bytes; default 1 MiB. */
  readonly bodyBytes: number;
  /** The most ids of one request, over all of its calls, up to 1,000,000; default 10,000. */
  readonly idsPerRequest: number;
  /** The most ids of one lease, up to 10^9; default 1,000,000. */
  readonly idsPerLease: number;
  /** The most requests at the same time; default 1,000. */
  readonly concurrentRequests: number;
  /**
   * How far above its sequence a floor may be, and without the right `floor` also `startAfter`, up to 10^9;
   * default 10,000,000.
   */
  readonly floorJump: number;
}

const DEFAULTS: Limits = {
  bodyBytes: 1_048_576,
  idsPerRequest: 10_000,
  idsPerLease: 1_000_000,
  concurrentRequests: 1_000,
  floorJump: 10_000_000,
};

const HIGHEST: Limits = {
  bodyBytes: Number.MAX_SAFE_INTEGER,
  idsPerRequest: MAX_BATCH,
  idsPerLease: 1_000_000_000,
  concurrentRequests: Number.MAX_SAFE_INTEGER,
  floorJump: 1_000_000_000,
};

/** With defaults. Throws a `RangeError` for one that is out of range. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULTS, ...given };
  for (const name of Object.keys(DEFAULTS) as (keyof Limits)[]) {
    const [value, highest] = [limits[name], HIGHEST[name]];
    if (Number.isInteger(value) && value >= 1 && value <= highest) continue;
    throw new RangeError(`limits.${name}: must be a whole number from 1 to ${highest}, got ${String(value)}`);
  }
  return limits;
}
