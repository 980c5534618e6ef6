import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  merged,
  noLatencies,
  p99OfWorst,
  percentile,
  percentilesOf,
  record,
} from '../src/measure/latencies.js';

function latenciesOf(ns: readonly number[]) {
  const latencies = noLatencies();
  for (const one of ns) record(latencies, one);
  return latencies;
}

const some = fc.array(fc.integer({ min: 1, max: 60_000_000_000 }), { minLength: 1, maxLength: 200 });

describe('the latencies of calls', () => {
  it('have the percentiles of the calls, at most 0.6 % too high', () => {
    fc.assert(
      fc.property(some, fc.constantFrom(1, 50, 90, 99, 99.9, 100), (ns, percent) => {
        const sorted = [...ns].sort((a, b) => a - b);
        const exact = sorted[Math.ceil((ns.length * percent) / 100) - 1] ?? 0;
        const found = percentile(latenciesOf(ns), percent) ?? 0;
        expect(found / exact).toBeGreaterThan(0.999_999);
        expect(found / exact).toBeLessThan(1.006);
      }),
    );
  });

  it('of several blocks together are those of all of their calls', () => {
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 4 }), (blocks) => {
        const [sum, all] = [merged(blocks.map(latenciesOf)), latenciesOf(blocks.flat())];
        expect({ ...sum, buckets: sum.buckets.join() }).toEqual({ ...all, buckets: all.buckets.join() });
      }),
      { numRuns: 20 },
    );
  });

  it('count what is out of range as the least or the most', () => {
    expect(percentile(latenciesOf([0, -5, 0.2]), 100)).toBeLessThan(1.01);
    const long = latenciesOf([1, 90e9]);
    expect(long.max).toBe(90e9);
    expect(percentile(long, 100)).toBeGreaterThan(59.9e9);
  });

  it('say nothing of too few calls', () => {
    expect(percentile(noLatencies(), 50)).toBeNull();
    expect(percentile(latenciesOf([1, 2]), 50, 3)).toBeNull();
    expect(percentilesOf(latenciesOf(new Array(9_999).fill(7)))[4]).toBeNull();
    expect(percentilesOf(latenciesOf(new Array(10_000).fill(7)))[4]).toBe(7);
  });

  it('have a worst block, among those with enough calls', () => {
    const block = (calls: number, ns: number) => latenciesOf(new Array(calls).fill(ns));
    expect(p99OfWorst([block(100, 5), block(100, 9), block(99, 700)])).toBe(9);
    expect(p99OfWorst([block(99, 700)])).toBeNull();
  });
});
