import { keepsProcessAlive } from '@ids/core/strategy';

/** What waits: `expire` rejects whatever has waited since `limit` or longer. */
interface Expiring {
  /**
   * `limit` is a reading of `performance.now()`. Returns since when the oldest of the others has been
   * waiting; undefined if there are none.
   */
  expire(limit: number): number | undefined;
}

/** How late a deadline may be noticed where many queues share a timer, in milliseconds. */
const COARSE_MS = 10;

/** The deadlines of one or many queues whose calls all wait equally long: one timer for all of them. */
export class Deadlines {
  /** How long a call may wait, in milliseconds. */
  readonly ms: number;
  readonly #waiting = new Set<Expiring>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.ms = ms;
  }

  /** A call has begun to wait in `queue`. Until the queue is empty, it keeps the process alive. */
  watch(queue: Expiring): void {
    this.#waiting.add(queue);
    if (this.#timer === undefined) this.#arm(this.ms);
    else keepsProcessAlive(this.#timer, true);
  }

  /** Nothing waits in `queue` any more. The timer stays: starting it again for each call would be slower. */
  unwatch(queue: Expiring): void {
    if (this.#waiting.delete(queue) && this.#waiting.size === 0) {
      if (this.#timer !== undefined) keepsProcessAlive(this.#timer, false);
    }
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const limit = performance.now() - this.ms;
      let oldest = Number.POSITIVE_INFINITY;
      for (const queue of this.#waiting) oldest = Math.min(oldest, queue.expire(limit) ?? oldest);
      if (this.#waiting.size === 0) return;
      this.#arm(Math.max(this.#waiting.size === 1 ? 1 : COARSE_MS, oldest - limit));
    }, delayMs);
  }
}
