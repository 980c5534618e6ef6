import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { objectIdAt, resetObjectIds } from '../src/index.js';
import { parseObjectId } from '../src/tools/index.js';
import { firstNotRising } from './support/issuer-at.js';

const DAY = new Date('2026-01-01T00:00:00.999Z');
const dates = fc.date({ min: new Date(0), max: new Date(2 ** 32 * 1_000 - 1), noInvalidDate: true });

describe('objectIdAt', () => {
  it('gives ObjectIds with exactly the second of the date', () => {
    fc.assert(
      fc.property(
        dates,
        (date) => parseObjectId(objectIdAt(date)).seconds === Math.floor(date.getTime() / 1_000),
      ),
    );
  });

  it('rises with the dates and within a second, also past the end of the three bytes of a counter', () => {
    expect(firstNotRising(Array.from({ length: 10 }, (_, s) => objectIdAt(new Date(s * 1_000))))).toBe(-1);
    resetObjectIds();
    const drawn = vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((words) => {
      (words as unknown as BigUint64Array)[0] = 0x0123_4567_89ff_fffen;
      return words;
    });
    const ids = Array.from({ length: 4 }, () => objectIdAt(DAY));
    drawn.mockRestore();
    expect(firstNotRising(ids)).toBe(-1);
    expect(ids.map((id) => id.slice(8))).toEqual([
      '0123456789fffffe',
      '0123456789ffffff',
      '012345678a000000',
      '012345678a000001',
    ]);
  });

  it('never repeats what follows the time, whatever the order of the dates', () => {
    const tails = Array.from({ length: 10_000 }, (_, row) => objectIdAt(new Date(1e9 * (row % 3))).slice(8));
    expect(new Set(tails).size).toBe(10_000);
  });

  it('has other random bytes after a reset, as in another process', () => {
    const processes = Array.from({ length: 100 }, () => {
      resetObjectIds();
      return objectIdAt(DAY).slice(8, 18);
    });
    expect(new Set(processes).size).toBe(100);
  });

  it.each([
    [new Date(-1), RangeError, 'the date must be in 1970-01-01T00:00:00Z .. 2106-02-07T06:28:15.999Z'],
    ['2017-11-24', TypeError, 'the date must be a Date, got "2017-11-24"'],
  ])('refuses %s', (date, type, message) => {
    expect(() => objectIdAt(date as Date)).toThrow(type);
    expect(() => objectIdAt(date as Date)).toThrow(message);
  });
});
