import { describe, expect, it } from 'vitest';
import { type Pace, type Skips, skipAfter, skippedAfter, skippedByHeirs, skipsOf } from '../src/index.js';

const DAY = 86_400;

const growing = skipsOf({});
const constant: Skips = skipsOf({ afterFailover: 500, afterRestore: 1_000 });

const used = (ageSeconds: number, idsPerSecond: number): Pace => ({ ageSeconds, idsPerSecond });

describe('what is skipped after a change of the reign', () => {
  it('covers four times the rate since the row was written', () => {
    for (const rate of [1_000, 10_000, 100_000]) {
      const skipped = skipAfter('restore', growing, { pace: used(DAY, rate) });
      expect(skipped).toBe(10_000_000 + 4 * rate * DAY);
    }
  });

  it('covers 1,000 ids a second where the rate is not known, for a day at most', () => {
    expect(skipAfter('restore', growing, { pace: used(3_600, 0) })).toBe(10_000_000 + 3_600_000);
    expect(skipAfter('restore', growing, { pace: used(365 * DAY, 0) })).toBe(10_000_000 + 1_000 * DAY);
  });

  it('is the base alone if the clock was set back, or if the row does not say', () => {
    expect(skipAfter('restore', growing, { pace: used(-60, 5_000) })).toBe(10_000_000);
    expect(skipAfter('restore', growing)).toBe(10_000_000);
    expect(skipAfter('failover', growing, { timelines: 2 })).toBe(20_000_000);
    // On MySQL, where a server has a lane, as far from the next one as at 1,000 ids a second.
    expect(skipAfter('failover', growing, { lane: 2 })).toBe(10_000_000 + 2 * 1_200_000);
  });

  it('gives each heir of one row, and each timeline, a place of its own', () => {
    const pace = used(5, 0);
    const places = [1, 2, 3].flatMap((timelines) =>
      [0, 1, 254, 255].map((lane) => skipAfter('failover', growing, { timelines, lane, pace }) ?? 0),
    );
    const sorted = places.toSorted((a, b) => a - b);
    expect(places).toEqual(sorted);
    // In a slow sequence, lanes are a hundredth of the base apart, or what is used in 20 minutes.
    const apart = (lane: number, perSecond: number) =>
      (skipAfter('failover', growing, { lane, pace: used(0, perSecond) }) ?? 0) - 10_000_000;
    expect([apart(1, 0), apart(255, 0), apart(1, 1_000), apart(1, 1e6)]).toEqual([
      100_000, 25_500_000, 1_200_000, 10_000_000,
    ]);
    for (const [i, place] of sorted.entries())
      expect(place - (sorted[i - 1] ?? 0)).toBeGreaterThanOrEqual(100_000);
  });

  it('fits in a group: a thousandth of it as the base, and at most a quarter of what is left', () => {
    const day = { range: 1e8, pace: used(10, 0) };
    expect(skipAfter('failover', growing, { ...day, left: 9e7, lane: 0 })).toBe(100_000 + 10);
    expect(skipAfter('failover', growing, { ...day, left: 9e7, lane: 9 })).toBe(109_000 + 10);
    const full = { ...day, left: 2_000 };
    expect(skippedAfter('restore', growing, full)).toEqual({ skipped: 500, pace: day.pace, isCut: true });
    // So ten timelines do not stop a sequence by day.
    expect(skipAfter('failover', growing, { ...day, left: 9e7, timelines: 10 })).toBeLessThan(4e6);
  });

  it('is exactly the number that is asked for, whatever the row says', () => {
    const loss = { timelines: 2, lane: 9, pace: used(DAY, 1e6), range: 1e8, left: 10 };
    expect(skippedAfter('restore', constant, loss)).toEqual({ skipped: 2_000 });
    expect(skippedAfter('failover', constant, loss)).toEqual({ skipped: 1_000 });
  });

  it('of an heir that skipped above another one is no more than heirs of its row skip', () => {
    for (const timelines of [1, 2, 3]) {
      const loss = { timelines, pace: used(5, 8_000), lane: 0 };
      const other = skipAfter('failover', growing, { ...loss, lane: 255 }) ?? 0;
      const above = skipAfter('restore', growing, { ...loss, lane: 255 }) ?? 0;
      expect(skippedByHeirs(growing, loss)).toBeGreaterThanOrEqual(other + above);
    }
    expect(skippedByHeirs(constant, {})).toBe(2 * 1_500);
  });

  it('is nothing, but a refusal, where either is refused', () => {
    const refusing = skipsOf({ afterFailover: 'refuse' });
    expect(skipAfter('restore', refusing, { pace: used(1, 1) })).toBeGreaterThan(0);
    expect(skipAfter('restore', refusing, { timelines: 1, pace: used(1, 1) })).toBeNull();
    expect(skipAfter('failover', refusing)).toBeNull();
  });

  it.each([-1, 1.5, 'some', null, { base: -1 }, { perSecond: Number.NaN }, { rate: 5 }, [[]]])(
    'is not accepted as %j',
    (value) => {
      expect(() => skipsOf({ afterRestore: value as never })).toThrow();
    },
  );
});
