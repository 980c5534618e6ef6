import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inversionsOf, naturalOrder, type TimedCall } from '../src/order.js';

/** The widest gap by which each call is out of order, straight from the definition, in O(n^2). */
function bruteForce(calls: readonly TimedCall[], slack: number) {
  return calls.flatMap((later) => {
    const gaps = calls
      .filter(({ ids }) => ids.some((high) => later.ids.some((low) => high >= low)))
      .map(({ complete }) => later.invoke - complete)
      .filter((gap) => gap > slack);
    return gaps.length === 0 ? [] : [{ invoke: later.invoke, gap: Math.max(...gaps) }];
  });
}

describe('inversionsOf', () => {
  const ids = fc.array(fc.nat(30), { minLength: 1, maxLength: 3 });
  const call = fc.tuple(ids, fc.nat(100), fc.integer({ min: 1, max: 30 }));

  it('agrees with the definition for any calls', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 30 }), fc.nat(20), (some, slack) => {
        const calls = some.map(([ids, invoke, took]) => ({ ids, invoke, complete: invoke + took }));
        const found = inversionsOf(calls, naturalOrder, slack);
        const short = found.map(({ later, gap }) => ({ invoke: later.invoke, gap }));
        const byTime = (a: { invoke: number; gap: number }, b: { invoke: number; gap: number }) =>
          a.invoke - b.invoke || a.gap - b.gap;
        expect(short.sort(byTime)).toEqual(bruteForce(calls, slack).sort(byTime));
        for (const { earlier, later, high, low, gap } of found) {
          expect(gap).toBe(later.invoke - earlier.complete);
          expect(high).toBe(Math.max(...(earlier.ids as number[])));
          expect(low).toBe(Math.min(...(later.ids as number[])));
          expect(high).toBeGreaterThanOrEqual(low as number);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lists them in the order in which they were invoked, and none for calls that overlap', () => {
    const calls = [
      { ids: [9], invoke: 0, complete: 1 },
      { ids: [3], invoke: 1, complete: 2 },
      { ids: [4], invoke: 6, complete: 7 },
      { ids: [8], invoke: 4, complete: 5 },
    ];
    expect(inversionsOf(calls, naturalOrder).map(({ later }) => later.ids)).toEqual([[8], [4]]);
  });

  it('needs ids', () => {
    expect(() => inversionsOf([{ ids: [], invoke: 0, complete: 1 }], naturalOrder)).toThrow(RangeError);
  });
});

describe('naturalOrder', () => {
  it('compares numbers by value, also far beyond doubles, and texts by code unit', () => {
    expect(naturalOrder(9, 10)).toBeLessThan(0);
    expect(naturalOrder(2n ** 60n, 2n ** 60n + 1n)).toBeLessThan(0);
    expect(naturalOrder('a10', 'a9')).toBeLessThan(0);
    expect(naturalOrder('a', 'a')).toBe(0);
  });
});
