const MILLISECOND = 1_000_000n;

/** Not there if a test put a clock of its own in the system's place before this was loaded. */
const systemNow = String(Date.now).includes('[native code]') ? Date.now : undefined;

/** In nanoseconds. Node.js reads it in two thirds of the time of `Date.now()`, which makes an object of every number it returns. */
const monotonic = process.hrtime.bigint;

let reading = 0;
// Older than any reading that is kept.
let readAt = -MILLISECOND;

/**
 * Milliseconds since the epoch: what `Date.now()` gives, or gave less than a millisecond ago in the same second. A step of the
 * system's clock shows within a millisecond, that of a clock which a test put in its place at once.
 */
export function exactNow(): number {
  if (Date.now !== systemNow) return Date.now();
  const now = monotonic();
  // Without a sign, so that a clock that went back counts as one that ran on.
  return BigInt.asUintN(64, now - readAt) < MILLISECOND ? reading : read(now);
}

function read(now: bigint): number {
  reading = Date.now();
  // The second may end while it is kept: the two clocks need not run alike to the last digit, hence two milliseconds.
  const isLast = reading % 1_000 >= 998;
  readAt = isLast ? now - MILLISECOND : now;
  return reading;
}
