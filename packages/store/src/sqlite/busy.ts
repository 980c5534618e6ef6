import { pause } from '@ids/core/strategy';
import { isBusy } from './errors.js';

/**
 * Short, because the lock is free for a moment only between two statements of a busy process: whoever looks
 * seldom finds it taken for seconds. An attempt costs a few system calls.
 */
const LONGEST_PAUSE_MS = 8;

/** How long a statement without a signal waits for a lock. */
const PATIENCE_MS = 5_000;

/**
 * Runs a statement again while another connection holds the lock: of several processes, one writes at a time.
 * Nothing of a statement that was refused stays. It waits here, because a driver that waits blocks the event
 * loop. Pauses grow and are random, so that those who wait do not meet again.
 *
 * @throws the reason of `signal` if it aborts; without one, what the last attempt threw after five seconds;
 * any other error at once.
 */
export async function whileBusy<T>(run: () => T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (let longest = 1; ; longest = Math.min(2 * longest, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || (signal === undefined && performance.now() >= endsAt)) throw error;
    }
    await pause(Math.ceil(longest * Math.random()), { signal });
  }
}
