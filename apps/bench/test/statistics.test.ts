import { describe, expect, it } from 'vitest';
import { balanced } from '../src/experiments/steps.js';
import { estimate, pairedRatio, seededRandom } from '../src/measure/statistics.js';

/** A skewed distribution, as times are, whose median is exactly `middle`. */
function skewedSample(random: () => number, middle: number): number {
  return (middle * -Math.log(1 - random())) / Math.LN2;
}

describe('estimate', () => {
  it('gives a 95 % interval that covers the true median about as often as it says', () => {
    const random = seededRandom(1);
    const experiments = 300;
    let covered = 0;
    for (let i = 0; i < experiments; i++) {
      const values = Array.from({ length: 25 }, () => skewedSample(random, 100));
      const { low, high } = estimate(values, i);
      if (low <= 100 && 100 <= high) covered++;
    }
    expect(covered / experiments).toBeGreaterThan(0.9);
    expect(covered / experiments).toBeLessThan(0.99);
  });

  it('gives the same interval for the same samples and seed', () => {
    const values = [3, 1, 4, 1, 5, 9, 2, 6];
    expect(estimate(values, 7)).toEqual(estimate(values, 7));
    expect(estimate(values, 7).median).toBe(3.5);
  });

  it('gives the interval of earlier releases, which result files hold beside their samples', () => {
    const squares = Array.from({ length: 41 }, (_, place) => place ** 2);
    expect(estimate(squares, 11)).toEqual({ median: 400, low: 196, high: 676 });
    const { low, high } = estimate([3, 1, 4, 1, 5, 9, 2, 6], 7);
    expect(low).toBe(1);
    expect(high).toBeCloseTo(5.5125, 9);
  });

  it('has no width where there is no spread', () => {
    expect(estimate([5, 5, 5], 1)).toEqual({ median: 5, low: 5, high: 5 });
  });

  it('refuses to estimate from nothing', () => {
    expect(() => estimate([], 1)).toThrow('at least one value');
  });
});

describe('pairedRatio', () => {
  it('is exact where the machine slowed both down together', () => {
    const control = [100, 40, 75, 10, 90];
    const doubled = control.map((rate) => 2 * rate);
    expect(pairedRatio('bson', doubled, control, 1)).toEqual({
      control: 'bson',
      median: 2,
      low: 2,
      high: 2,
      verdict: 'faster',
    });
  });

  it('leaves out blocks that one of the two did not finish', () => {
    const ratio = pairedRatio('c', [2, undefined, 6, 8], [1, 1, 3], 1);
    expect(ratio).toMatchObject({ median: 2, low: 2, high: 2 });
    expect(pairedRatio('c', [undefined], [1], 1)).toBeUndefined();
    expect(pairedRatio('c', [1], [undefined], 1)).toBeUndefined();
  });

  it('gives no verdict on fewer than five blocks', () => {
    const verdictOn = (blocks: number) =>
      pairedRatio('c', new Array(blocks).fill(2), new Array(blocks).fill(1), 1)?.verdict;
    expect([1, 2, 4, 5, 9].map(verdictOn)).toEqual(['unclear', 'unclear', 'unclear', 'faster', 'faster']);
  });

  it.each([
    [[1.2, 1.21, 1.19, 1.2, 1.2], 'faster'],
    [[0.8, 0.81, 0.79, 0.8, 0.8], 'slower'],
    [[0.99, 1, 1.01, 1, 1], 'tie'],
    [[0.9, 1, 1.2, 0.9, 1.2], 'unclear'],
    [[1.02, 1.03, 1.3, 1.02, 1.3], 'unclear'],
    [[0.9, 0.99, 1.01, 0.9, 1], 'unclear'],
    [[1.05, 1.05, 1.05, 1.05, 1.05], 'tie'],
    [[0.95, 0.95, 0.95, 0.95, 0.95], 'tie'],
  ])('calls %j %s', (ratios, verdict) => {
    const ones = ratios.map(() => 1);
    expect(pairedRatio('c', ratios, ones, 1)?.verdict).toBe(verdict);
  });
});

describe('the order of the cases in a block', () => {
  it.each([2, 3, 4, 5, 8, 9, 17])(
    'is balanced for %i: each place and each predecessor equally often',
    (count) => {
      const items = Array.from({ length: count }, (_, i) => i);
      const rows = count % 2 === 0 ? count : 2 * count;
      const times = rows / count;
      const places = new Map<string, number>();
      const pairs = new Map<string, number>();
      const note = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
      for (let block = 0; block < rows; block++) {
        const order = balanced(items, block);
        expect([...order].sort((a, b) => a - b)).toEqual(items);
        for (const [place, item] of order.entries()) {
          note(places, `${item} at ${place}`);
          if (place > 0) note(pairs, `${item} after ${order[place - 1]}`);
        }
      }
      expect([places.size, new Set(places.values())]).toEqual([count * count, new Set([times])]);
      expect([pairs.size, new Set(pairs.values())]).toEqual([count * (count - 1), new Set([times])]);
      expect(balanced(items, rows)).toEqual(balanced(items, 0));
    },
  );

  it('of one case or none is what there is', () => {
    expect([balanced([], 3), balanced(['a'], 3)]).toEqual([[], ['a']]);
  });
});
