/** The most ids that one reading of the clock may serve. */
const IDS_PER_READING = 256;

let reading = 0;
let left = 0;

/**
 * Milliseconds since the epoch, as `Date.now()` gave them earlier in this run of synchronous code: read anew
 * for the first id after an `await` or a return to the event loop, and after 256 ids. So it is stale only
 * inside one long synchronous run that asks for few ids.
 */
export function turnNow(): number {
  if (left === 0) {
    left = IDS_PER_READING;
    // A job of a promise and no timer: a timer is lost with its request at the edge, or with the clock of
    // a test that is put away.
    Promise.resolve().then(() => {
      left = 0;
    });
    reading = Date.now();
  }
  left--;
  return reading;
}
