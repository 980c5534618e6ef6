/** The most ids that one reading of the clock can serve. */
const IDS_PER_READING = 256;

let reading = 0;
let left = 0;

/**
 * Milliseconds since the Unix epoch. `Date.now()` is read again after an `await`, after a return to the event
 * loop, and after 256 calls. In between, the value may be out of date, but only within one long synchronous
 * run that issues few ids.
 */
export function turnNow(): number {
  if (left === 0) {
    left = IDS_PER_READING;
    // A promise job, not a timer: on edge runtimes a timer ends with its request, and test frameworks replace
    // timers.
    Promise.resolve().then(() => {
      left = 0;
    });
    reading = Date.now();
  }
  left--;
  return reading;
}
