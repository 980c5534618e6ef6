import { median } from 'simple-statistics';

interface WarmUpLimits {
  readonly minBlocks: number;
  readonly maxBlocks: number;
}

/** A block has to be this much cheaper than the best one before to count as an improvement. */
const IMPROVEMENT = 0.05;

/** Runs blocks until one is less than 5 % cheaper than the best before it; returns how many it took. */
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
