import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUuid7Generator, lowerBound, parseUuid7, upperBound } from '../src/index.js';

const dates = fc.date({ min: new Date(0), max: new Date(2 ** 48 - 1), noInvalidDate: true });

describe('lowerBound and upperBound', () => {
  it('fill the time only, and are UUIDs of version 7', () => {
    const date = new Date('2022-02-22T19:22:22.000Z');
    expect(lowerBound(date)).toBe('017f22e2-79b0-7000-8000-000000000000');
    expect(upperBound(date)).toBe('017f22e2-79b0-7fff-bfff-ffffffffffff');
  });

  it('enclose the ids of their millisecond and no others', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const [low, high] = [parseUuid7(lowerBound(date)), parseUuid7(upperBound(date))];
        expect([low.ms, low.counter, low.random]).toEqual([date.getTime(), 0, 0]);
        expect([high.ms, high.counter, high.random]).toEqual([date.getTime(), 2 ** 42 - 1, 2 ** 32 - 1]);
      }),
    );
  });

  it.each([0, 2 ** 48 - 1])('are made of both ends of the range: %d ms', (ms) => {
    for (const bound of [lowerBound, upperBound]) expect(parseUuid7(bound(new Date(ms))).ms).toBe(ms);
  });

  it('enclose an id that is issued between them', () => {
    const before = new Date();
    const id = createUuid7Generator().nextSync();
    expect(id >= lowerBound(before)).toBe(true);
    expect(id <= upperBound(new Date())).toBe(true);
  });

  it.each([
    [new Date(-1), RangeError, '1969-12-31T23:59:59.999Z'],
    [new Date(2 ** 48), RangeError, '+010889-08-02T05:31:50.656Z'],
    [new Date(Number.NaN), RangeError, 'an invalid Date'],
    [1_511_504_345, TypeError, 'got 1511504345'],
    ['2017-11-24', TypeError, 'got "2017-11-24"'],
    [null, TypeError, 'got null'],
    [undefined, TypeError, 'got undefined'],
  ])('refuse %s, saying what is wrong', (input, type, message) => {
    for (const bound of [lowerBound, upperBound]) {
      expect(() => bound(input as Date)).toThrow(type);
      expect(() => bound(input as Date)).toThrow(message);
    }
  });
});
