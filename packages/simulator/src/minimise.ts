import { type RunOptions, runSeed, type SeedOutcome } from './run-seed.js';

/** Runs that are spent on one failure at most. */
const MOST_RUNS = 200;

/**
 * Leaves out faults of a failing seed for as long as it fails in the same way (delta debugging): halves first, single ones in
 * the end. Resolves with the positions that are left out. A run with fewer faults is another run, so this finds a smaller
 * failure, not always the smallest.
 */
export async function minimise(failure: SeedOutcome, options: RunOptions): Promise<ReadonlySet<number>> {
  const [kind = ''] = Object.keys(failure.counts);
  const { seed } = failure;
  let without = new Set(options.without);
  let left = failure.faultPositions;
  let runs = 0;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length && runs < MOST_RUNS; ) {
      const chunk = left.slice(at, at + size);
      const fewer = new Set([...without, ...chunk]);
      runs++;
      const outcome = await runSeed(seed, { ...options, without: fewer, keepTrace: false });
      if (outcome.counts[kind] === undefined) at += size;
      else {
        without = fewer;
        left = left.filter((position) => !fewer.has(position));
      }
    }
  }
  return without;
}
