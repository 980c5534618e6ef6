import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createUuid7Generator, parseUuid7, resetUuid7s, uuid7At } from '../src/index.js';
import { counterOf, firstNotRising, MS, msOf, ROOM } from './support/ids.js';

const dates = fc.date({ min: new Date(0), max: new Date(2 ** 48 - 1), noInvalidDate: true });

describe('uuid7At', () => {
  it('gives UUIDs of version 7 with exactly the time of the date', () => {
    fc.assert(fc.property(dates, (date) => msOf(uuid7At(date)) === date.getTime()));
  });

  it('rises with the dates and, in a row, within a millisecond', () => {
    const ids = [0, 0, 0, 1, 1, 5, 5].map((ms) => uuid7At(new Date(MS + ms)));
    expect(firstNotRising(ids)).toBe(-1);
    expect(ids.slice(1, 3).map(counterOf)).toEqual([1, 2].map((more) => counterOf(ids[0] ?? '') + more));
  });

  it('is in the half of the counter in which generators do not start, with room for 2^40 more', () => {
    vi.useFakeTimers({ now: MS, toFake: ['Date'] });
    for (let round = 0; round < 500; round++) {
      resetUuid7s();
      const dated = counterOf(uuid7At(new Date(MS)));
      expect(dated >= ROOM / 2 && dated < (3 * ROOM) / 4).toBe(true);
      vi.setSystemTime(MS + 100 * round);
      expect(counterOf(createUuid7Generator().nextSync())).toBeLessThan(ROOM / 2);
    }
    vi.useRealTimers();
  });

  it('repeats nothing where few dates come in any order, as when it runs twice', () => {
    const days = Array.from({ length: 100_000 }, (_, row) => new Date(MS + 86_400_000 * ((row * 7) % 31)));
    expect(new Set([...days, ...days].map(uuid7At)).size).toBe(200_000);
  });

  it('starts anew after a reset and where another date was in between', () => {
    const starts = Array.from({ length: 300 }, (_, round) => {
      if (round % 2 === 0) resetUuid7s();
      else uuid7At(new Date(MS + 1));
      return parseUuid7(uuid7At(new Date(MS)));
    });
    const between = starts.slice(1).map(({ counter }, at) => counter - (starts[at]?.counter ?? 0));
    expect(between.filter((steps) => Math.abs(steps) < 2 ** 16)).toEqual([]);
    expect(new Set(starts.map(({ random }) => random)).size).toBe(300);
  });

  it.each([
    [new Date(-1), RangeError, 'the date must be in 1970-01-01T00:00:00Z .. +010889-08-02T05:31:50.655Z'],
    ['2017-11-24', TypeError, 'the date must be a Date, got "2017-11-24"'],
  ])('refuses %s', (date, type, message) => {
    expect(() => uuid7At(date as Date)).toThrow(type);
    expect(() => uuid7At(date as Date)).toThrow(message);
  });
});
