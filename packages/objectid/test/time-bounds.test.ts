import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createObjectIdGenerator } from '../src/index.js';
import { lowerBound, parseObjectId, upperBound } from '../src/tools/index.js';

const dates = fc.date({ min: new Date(0), max: new Date(2 ** 32 * 1_000 - 1), noInvalidDate: true });

describe('lowerBound and upperBound', () => {
  it('fill the time bytes only', () => {
    const date = new Date('2017-11-24T06:19:05.999Z');
    expect(lowerBound(date)).toBe('5a17b9d90000000000000000');
    expect(upperBound(date)).toBe('5a17b9d9ffffffffffffffff');
  });

  it('enclose the ids of their second and no others', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const second = Math.floor(date.getTime() / 1_000);
        expect(parseObjectId(lowerBound(date)).seconds).toBe(second);
        expect(parseObjectId(upperBound(date)).seconds).toBe(second);
      }),
    );
  });

  it('enclose an id that is issued between them', () => {
    const before = new Date();
    const id = createObjectIdGenerator().nextSync();
    expect(id >= lowerBound(before)).toBe(true);
    expect(id <= upperBound(new Date(Date.now() + 1_000))).toBe(true);
  });

  it.each([
    [new Date(-1), RangeError, '1969-12-31T23:59:59.999Z'],
    [new Date(2 ** 32 * 1_000), RangeError, '2106-02-07T06:28:16.000Z'],
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
