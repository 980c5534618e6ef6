import { median } from 'simple-statistics';
import { warmUp } from '../../measure/warm-up.js';

const MIN_SAMPLES = 20;
const SAMPLES_PER_WARM_UP_BLOCK = 20;

/**
 * Takes samples until they no longer fall, collects garbage, takes samples for `ms`
 * milliseconds and gives their median.
 */
export async function settledMedian(sample: () => number | Promise<number>, ms: number): Promise<number> {
  const take = async (enough: (samples: readonly number[]) => boolean) => {
    const samples: number[] = [];
    while (!enough(samples)) samples.push(await sample());
    return samples;
  };
  await warmUp(() => take(({ length }) => length >= SAMPLES_PER_WARM_UP_BLOCK), {
    minBlocks: 3,
    maxBlocks: 30,
  });
  globalThis.gc?.();
  const end = performance.now() + ms;
  return median(await take(({ length }) => length >= MIN_SAMPLES && performance.now() >= end));
}

/** Nanoseconds since some point in the past. */
export function nowNs(): bigint {
  return process.hrtime.bigint();
}
