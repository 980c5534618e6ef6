import { type CaseEnvironment, findCase, type Job, type Preparable, warmUp } from '@ids/bench/measure';
import { median } from 'simple-statistics';
import type { Figures } from '../results.js';

/** An opened probe in a worker. */
interface Probe {
  /**
   * Warms up, measures for about `ms` milliseconds and checks the outputs; throws `InvalidOutput` if they are
   * wrong.
   */
  measure(ms: number): Promise<Figures>;
  close?(): Promise<void>;
}

/** Something that a claim is about, or compares with: measured in a fresh process per block. */
export interface ProbeCase extends Preparable {
  /** How many times longer than usual it measures: rare events need many calls. 1 by default. */
  readonly patience?: number;
  /** Its figures are exact: one process is enough for any profile. */
  readonly exact?: boolean;
  open(environment: CaseEnvironment): Promise<Probe>;
}

/** `ms` is about how long to measure. */
export const probeJob: Job<{ readonly ms: number }, Figures> = {
  module: import.meta.url,
  name: 'probeJob',
  async open({ ms }, ref) {
    const [probeCase, environment] = await findCase<ProbeCase>('probes', ref);
    const probe = await probeCase.open(environment);
    return { run: () => probe.measure(ms), close: async () => probe.close?.() };
  },
};

const MIN_SAMPLES = 20;
const SAMPLES_PER_WARM_UP_BLOCK = 20;

/**
 * Takes samples until they stop falling, collects garbage, takes samples for `ms` milliseconds and returns
 * their median.
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
