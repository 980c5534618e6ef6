import { describe, expect, it } from 'vitest';
import { keyDraw } from '../src/cases/keyed.js';
import { seededRandom } from '../src/measure/statistics.js';

const KEYS = 1_000;
const DRAWS = 50_000;

/** How often each key was drawn. */
function counts(spread: Parameters<typeof keyDraw>[0]): number[] {
  const found = Array.from({ length: KEYS }, () => 0);
  const drawn = Array.from({ length: DRAWS }, keyDraw(spread, KEYS, seededRandom(1)));
  expect(drawn.filter((key) => !(key in found))).toEqual([]);
  for (const key of drawn) found[key] = (found[key] as number) + 1;
  return found;
}

describe('the keys of a loop', () => {
  it('are all equally likely', () => {
    const found = counts('');
    // 50 each on average: 8 standard deviations either way.
    expect(Math.min(...found)).toBeGreaterThan(0);
    expect(Math.max(...found)).toBeLessThan(110);
  });

  it("follow Zipf's law: the n-th is drawn about 1/n as often as the first", () => {
    const found = counts(' with keys by Zipf');
    const [first = 0] = found;
    // ln 2 / ln 1,001 of the draws, within 5 %.
    expect(first / DRAWS).toBeGreaterThan(0.095);
    expect(first / DRAWS).toBeLessThan(0.106);
    const upTo = (rank: number) => found.slice(0, rank).reduce((sum, one) => sum + one, 0) / DRAWS;
    expect(upTo(31)).toBeGreaterThan(0.48);
    expect(upTo(31)).toBeLessThan(0.52);
    expect(found.slice(500).every((one) => one < first / 50)).toBe(true);
  });

  it('are one key', () => {
    expect(counts(' with one key')[0]).toBe(DRAWS);
  });
});
