/**
 * In nanoseconds. 1 % less than a millisecond, because the two clocks do not run at exactly the same rate.
 */
const KEPT = 990_000n;

/** In nanoseconds. Reading it takes two thirds of the time of `Date.now()`, which allocates a heap number. */
const monotonic = globalThis.process?.hrtime?.bigint;

// Tests replace these clocks with ones that stand still until they are set. Only the functions of Node.js
// itself have these names.
const areSystems =
  String(Date.now) === 'function now() { [native code] }' && monotonic?.name === 'hrtimeBigInt';
const systemNow = areSystems ? Date.now : undefined;

let reading = 0;
/** On the monotonic clock: a time at which the millisecond `reading` had not begun yet. */
let before = -KEPT;
/** On the monotonic clock: at or before the last time `Date.now()` returned `reading`. */
let seen = -KEPT;

/**
 * Milliseconds since the Unix epoch, like `Date.now()`, which is called only when the millisecond may be
 * over. A change of the system clock shows within a millisecond; a fake clock is used at once.
 */
export function exactNow(): number {
  if (Date.now !== systemNow) return Date.now();
  const now = monotonic();
  // Unsigned, so that a monotonic clock that went back also triggers a new reading.
  return BigInt.asUintN(64, now - before) < KEPT ? reading : read(now);
}

function read(now: bigint): number {
  const last = reading;
  reading = Date.now();
  // Reused only if the previous millisecond was seen shortly before: then it is known when this one began.
  before = reading === last + 1 ? seen : now - KEPT;
  seen = now;
  return reading;
}
