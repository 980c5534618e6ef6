import { type RunOptions, runSeed, type SeedOutcome } from './run-seed.js';

/** Runs that are spent on one failure at most. */
const MOST_RUNS = 200;

/**
 * Leaves out faults of a failing seed for as long as it fails in the same way (delta debugging): halves
 * first, single ones in the end. Resolves with the positions that are kept. A run with fewer faults is
 * another run, so this finds a smaller failure, not always the smallest.
 */
export async function minimise(failure: SeedOutcome, options: RunOptions): Promise<ReadonlySet<number>> {
  const [kind = ''] = Object.keys(failure.counts);
  let kept = failure.faultPositions;
  let runs = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length && runs < MOST_RUNS; ) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      runs++;
      const outcome = await runSeed(failure.seed, { ...options, only: new Set(fewer), keepTrace: false });
      if (outcome.counts[kind] === undefined) at += size;
      else kept = fewer;
    }
  }
  return new Set(kept);
}
