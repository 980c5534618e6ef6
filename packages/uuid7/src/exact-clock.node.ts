/**
 * In nanoseconds. A hundredth less than a millisecond, because the two clocks need not run alike to
 * the last digit.
 */
const KEPT = 990_000n;

/**
 * In nanoseconds. Node.js reads it in two thirds of the time of `Date.now()`, which makes an object of
 * every number it returns.
 */
const monotonic = globalThis.process?.hrtime?.bigint;

// Tests replace these with clocks of their own, which do not move until they are set. Only what Node.js
// itself has goes by these names.
const areSystems =
  String(Date.now) === 'function now() { [native code] }' && monotonic?.name === 'hrtimeBigInt';
const systemNow = areSystems ? Date.now : undefined;

let reading = 0;
/** On the monotonic clock: when `reading` cannot have begun yet. */
let before = -KEPT;
/** On the monotonic clock: not after the moment at which the clock last showed `reading`. */
let seen = -KEPT;

/**
 * Milliseconds since the epoch: what `Date.now()` gives, which is asked when the millisecond may be over. A
 * step of the system's clock shows within a millisecond, that of a clock which a test put in its place at
 * once.
 */
export function exactNow(): number {
  if (Date.now !== systemNow) return Date.now();
  const now = monotonic();
  // Without a sign, so that a clock that went back counts as one that ran on.
  return BigInt.asUintN(64, now - before) < KEPT ? reading : read(now);
}

function read(now: bigint): number {
  const last = reading;
  reading = Date.now();
  // Kept only where the last millisecond was seen shortly before: then it is known when this one began.
  before = reading === last + 1 ? seen : now - KEPT;
  seen = now;
  return reading;
}
