const MILLISECOND = 1_000_000n;

/** In nanoseconds. Reading it takes two thirds of the time of `Date.now()`, which allocates a heap number. */
const monotonic = globalThis.process?.hrtime?.bigint;

// Tests replace these clocks with ones that stand still until they are set. Only the functions of Node.js
// itself have these names.
const areSystems =
  String(Date.now) === 'function now() { [native code] }' && monotonic?.name === 'hrtimeBigInt';
const systemNow = areSystems ? Date.now : undefined;

let reading = 0;
// Earlier than any reading that is reused.
let readAt = -MILLISECOND;

/**
 * Milliseconds since the Unix epoch: `Date.now()`, or a reading of it less than a millisecond old, from the
 * same second. A change of the system clock shows within a millisecond; a fake clock is used at once.
 */
export function exactNow(): number {
  if (Date.now !== systemNow) return Date.now();
  const now = monotonic();
  // Unsigned, so that a monotonic clock that went back also triggers a new reading.
  return BigInt.asUintN(64, now - readAt) < MILLISECOND ? reading : read(now);
}

function read(now: bigint): number {
  reading = Date.now();
  // The second might end while the reading is reused. Two milliseconds, because the two clocks do not run at
  // exactly the same rate.
  const isLast = reading % 1_000 >= 998;
  readAt = isLast ? now - MILLISECOND : now;
  return reading;
}
