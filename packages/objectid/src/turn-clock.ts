/** The most ids that one reading of the clock may serve. */
const IDS_PER_READING = 256;

let reading = 0;
let left = 0;
let turnEndAwaited = false;

/**
 * Milliseconds since the epoch, as `Date.now()` gave them earlier in this turn of the event loop: read anew for the first
 * id of each turn, and after 256 ids. So it is stale only inside one long synchronous turn that asks for few ids. Where
 * nothing tells the end of a turn, it is read for each id.
 */
export function turnNow(): number {
  if (left === 0) read();
  left--;
  return reading;
}

function read(): void {
  reading = Date.now();
  turnEndAwaited ||= awaitTurnEnd();
  left = turnEndAwaited ? IDS_PER_READING : 1;
}

function awaitTurnEnd(): boolean {
  try {
    (globalThis.setImmediate ?? globalThis.setTimeout)(forget);
    return true;
  } catch {
    // Edge runtimes have no timers outside of a request, and some places none at all.
    return false;
  }
}

function forget(): void {
  turnEndAwaited = false;
  left = 0;
}
