/** The percentiles that are recorded. */
export const PERCENTILES = [50, 75, 90, 99, 99.9] as const;

/** With fewer calls, p99.9 would be meaningless. */
export const CALLS_FOR_P999 = 10_000;

/** Buckets for each doubling of a latency: one is 0.5 % wide. */
const BUCKETS_PER_DOUBLING = 128;
/** Up to a minute. */
const BUCKETS = Math.ceil(Math.log2(60e9) * BUCKETS_PER_DOUBLING) + 1;

/**
 * How many calls took how long. Unlike percentiles, and unlike the histograms of Node.js, these of several
 * blocks and processes can be added up. Plain data, so that workers can send them.
 */
export interface Latencies {
  /** Calls by the logarithm of their nanoseconds. */
  readonly buckets: Uint32Array;
  calls: number;
  /** The longest, in nanoseconds; 0 without calls. */
  max: number;
}

export function noLatencies(): Latencies {
  return { buckets: new Uint32Array(BUCKETS), calls: 0, max: 0 };
}

/** Counts one call. A latency below a nanosecond counts as one, above a minute as a minute. */
export function record(latencies: Latencies, ns: number): void {
  const bucket = Math.min(BUCKETS - 1, Math.floor(Math.log2(Math.max(1, ns)) * BUCKETS_PER_DOUBLING));
  latencies.buckets[bucket] = (latencies.buckets[bucket] ?? 0) + 1;
  latencies.calls++;
  latencies.max = Math.max(latencies.max, ns);
}

/** Those of all calls together. */
export function merged(all: readonly Latencies[]): Latencies {
  const sum = noLatencies();
  for (const { buckets, calls, max } of all) {
    for (const [bucket, count] of buckets.entries()) sum.buckets[bucket] = (sum.buckets[bucket] ?? 0) + count;
    sum.calls += calls;
    sum.max = Math.max(sum.max, max);
  }
  return sum;
}

/**
 * The nanoseconds within which `percent` of the calls were answered, at most 0.5 % too high. `null` if there
 * were fewer than `leastCalls`, or none.
 */
export function percentile(
  { buckets, calls, max }: Latencies,
  percent: number,
  leastCalls = 1,
): number | null {
  if (calls < Math.max(1, leastCalls)) return null;
  const wanted = Math.ceil((calls * percent) / 100);
  let seen = 0;
  const bucket = buckets.findIndex((count) => {
    seen += count;
    return seen >= wanted;
  });
  return Math.min(max, 2 ** ((bucket + 1) / BUCKETS_PER_DOUBLING));
}

/** At `PERCENTILES`; `null` where there were too few calls. */
export function percentilesOf(latencies: Latencies): (number | null)[] {
  return PERCENTILES.map((percent) => percentile(latencies, percent, percent > 99 ? CALLS_FOR_P999 : 1));
}

/** Calls of a block without which its p99 would mean nothing. */
export const CALLS_FOR_P99 = 100;

/** The greatest p99 among the blocks that have enough calls; `null` if none has. */
export function p99OfWorst(blocks: readonly Latencies[]): number | null {
  const known = blocks.flatMap((block) => percentile(block, 99, CALLS_FOR_P99) ?? []);
  return known.length === 0 ? null : Math.max(...known);
}
