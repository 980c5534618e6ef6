import { setTimeout as delay } from 'node:timers/promises';

/** Half the ceiling: whatever happened in the second before, no second sees more than the format allows. */
const SHARE_OF_CEILING = 0.5;

/** Keeps bursts below a format's ceiling, so that what is timed is never the overflow policy. */
export class Pacer {
  readonly #perSecond: number;
  #windowStart = performance.now();
  #used = 0;

  /** Without a ceiling it never waits. */
  constructor(maxIdsPerSecond: number | undefined) {
    this.#perSecond = (maxIdsPerSecond ?? Number.POSITIVE_INFINITY) * SHARE_OF_CEILING;
  }

  /** Resolves when `count` more ids fit into the present second. Call it outside of what is timed. */
  async room(count: number): Promise<void> {
    const age = performance.now() - this.#windowStart;
    if (age >= 1_000) this.#startWindow();
    else if (this.#used + count > this.#perSecond) {
      await delay(1_000 - age);
      this.#startWindow();
    }
    this.#used += count;
  }

  #startWindow(): void {
    this.#windowStart = performance.now();
    this.#used = 0;
  }
}
