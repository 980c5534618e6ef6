import type { MonotonicClock, NanosecondClock } from './held-windows.js';

const NS_PER_MS = 1e6;

/** Milliseconds of the monotonic clock, the one that the clocks below read. */
export const monotonicNow: MonotonicClock = () => Number(process.hrtime.bigint()) / NS_PER_MS;

/** The monotonic clock, read for each id. */
export function exactClock(): NanosecondClock {
  return process.hrtime.bigint;
}

/** The most ids that one reading of the clock may serve. */
const IDS_PER_READING = 256;

/**
 * The same, read for the first id after each `await` or return to the event loop, and after 256 ids. So it is
 * stale only inside one long synchronous run that asks for few ids.
 */
export function turnClock(read: NanosecondClock = exactClock()): NanosecondClock {
  let reading = 0n;
  let left = 0;
  const forget = (): void => {
    left = 0;
  };
  return () => {
    if (left === 0) {
      left = IDS_PER_READING;
      // A job of a promise and no timer, which would come too late.
      Promise.resolve().then(forget);
      reading = read();
    }
    left--;
    return reading;
  };
}
