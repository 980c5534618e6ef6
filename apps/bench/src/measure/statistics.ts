import { median, quantileSorted } from 'simple-statistics';
import type { Estimate, Ratio } from '../schema/figures.js';

/**
 * With fewer blocks there is no verdict: from five on, intervals of skewed samples contain the true median in
 * 93 to 95 % of runs, with two in half of them.
 */
export const MIN_BLOCKS = 5;

const RESAMPLES = 2_000;
/** Of the bootstrap: the same samples give the same interval. */
const SEED = 1;
const TIE = { low: 0.95, high: 1.05 };

/**
 * The median of `values` with a percentile bootstrap interval (Efron 1979). With few values it is too narrow
 * rather than too wide, which the report says beside the number of blocks.
 */
export function estimate(values: readonly number[], seed = SEED): Estimate {
  if (values.length === 0) throw new RangeError('an estimate needs at least one value');
  const random = seededRandom(seed);
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(random() * values.length)] as number)),
  ).sort((a, b) => a - b);
  return {
    median: median([...values]),
    low: quantileSorted(medians, 0.025),
    high: quantileSorted(medians, 0.975),
  };
}

/**
 * Compares rates that were measured in the same blocks: entry b of both belongs to block b, so that what
 * slowed the machine down for a block falls out of the ratio. A block that one of them lacks is left out.
 */
export function pairedRatio(
  control: string,
  rates: readonly (number | undefined)[],
  controlRates: readonly (number | undefined)[],
  seed = SEED,
): Ratio | undefined {
  const ratios = rates.flatMap((rate, block) => {
    const other = controlRates[block];
    return rate === undefined || other === undefined ? [] : [rate / other];
  });
  if (ratios.length === 0) return undefined;
  const measured = estimate(ratios, seed);
  return { control, ...measured, verdict: ratios.length < MIN_BLOCKS ? 'unclear' : verdictOf(measured) };
}

function verdictOf({ low, high }: Estimate): Ratio['verdict'] {
  if (low > TIE.high) return 'faster';
  if (high < TIE.low) return 'slower';
  return low >= TIE.low && high <= TIE.high ? 'tie' : 'unclear';
}

/**
 * Numbers in [0, 1) that depend on `seed` alone. The generator is mulberry32 (Tommy Ettinger, public domain):
 * 32 bits of state, enough to draw resamples.
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}
