import { setTimeout as delay } from 'node:timers/promises';
import { median } from 'simple-statistics';

interface WarmUpLimits {
  readonly minBlocks: number;
  readonly maxBlocks: number;
}

/** A block must be this much faster than the best one so far to count as an improvement. */
const IMPROVEMENT = 0.05;

/** Runs blocks until one is less than 5 % faster than the best so far; returns the number of blocks. */
export async function warmUp(
  block: () => Promise<readonly number[]>,
  { minBlocks, maxBlocks }: WarmUpLimits,
): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let blocks = 1; blocks <= maxBlocks; blocks++) {
    const cost = median([...(await block())]);
    if (blocks >= minBlocks && cost > best * (1 - IMPROVEMENT)) return blocks;
    best = Math.min(best, cost);
  }
  return maxBlocks;
}

/** Half the limit: whatever happened in the previous second, no second exceeds what the format allows. */
const SHARE_OF_LIMIT = 0.5;

/** Keeps bursts below the limit of a format, so that the overflow policy is never timed. */
export class Pacer {
  readonly #perSecond: number;
  #windowStart = performance.now();
  #used = 0;

  /** Without a limit it never waits. */
  constructor(maxIdsPerSecond: number | undefined) {
    this.#perSecond = (maxIdsPerSecond ?? Number.POSITIVE_INFINITY) * SHARE_OF_LIMIT;
  }

  /** Resolves when `count` more ids fit into the current second. Call it outside of the timed section. */
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
