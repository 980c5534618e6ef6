import { median, quantileSorted } from 'simple-statistics';
import { seededRandom } from './random.js';

/** A median with its 95 % interval. */
export interface Estimate {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How a case compares with its control, in throughput: 2 is twice as many ids per second. `tie`: the whole interval
 * lies within ±5 %; `unclear`: it does not, but reaches into that band.
 */
export interface Ratio extends Estimate {
  readonly control: string;
  readonly verdict: 'faster' | 'slower' | 'tie' | 'unclear';
}

const RESAMPLES = 2_000;
const TIE = { low: 0.95, high: 1.05 };

/**
 * The median of `values` with a percentile bootstrap interval (Efron 1979). With few values it is too narrow rather
 * than too wide, which the report says beside the number of blocks.
 */
export function estimate(values: readonly number[], seed: number): Estimate {
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
 * Compares rates that were measured in the same blocks: entry b of both belongs to block b, so that what slowed the
 * machine down for a block falls out of the ratio. A block that one of them lacks is left out.
 */
export function pairedRatio(
  control: string,
  rates: readonly (number | undefined)[],
  controlRates: readonly (number | undefined)[],
  seed: number,
): Ratio | undefined {
  const ratios = rates.flatMap((rate, block) => {
    const other = controlRates[block];
    return rate === undefined || other === undefined ? [] : [rate / other];
  });
  if (ratios.length === 0) return undefined;
  const measured = estimate(ratios, seed);
  return { control, ...measured, verdict: verdictOf(measured) };
}

function verdictOf({ low, high }: Estimate): Ratio['verdict'] {
  if (low > TIE.high) return 'faster';
  if (high < TIE.low) return 'slower';
  return low >= TIE.low && high <= TIE.high ? 'tie' : 'unclear';
}
