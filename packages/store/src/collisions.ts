import { pause } from '@ids/core/strategy';

/** Where each transaction that collides makes room for another, so many in a row are next to impossible. */
const ATTEMPTS = 20;
const LONGEST_PAUSE_MS = 128;

/**
 * Runs a statement again if it collided with another transaction on the same rows: a deadlock, or a row that
 * was changed under REPEATABLE READ. A statement that collided has changed nothing, and one of those that
 * collide succeeds. The pause before the next attempt is random, and longer each time: immediate retries
 * would collide again, and might never get a turn.
 *
 * @throws what the last attempt threw; any other error at once; the reason of `signal` if it aborts, also in
 * a pause.
 */
export async function pastCollisions<T>(
  run: () => Promise<T>,
  isCollision: (error: unknown) => boolean,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === ATTEMPTS || !isCollision(error)) throw error;
    }
    const longest = Math.min(2 ** attempt, LONGEST_PAUSE_MS);
    await pause(longest * Math.random(), { signal });
    signal?.throwIfAborted();
  }
}
