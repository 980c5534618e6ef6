import { describe, expect, it } from 'vitest';
import { formatTicket, parseTicket } from '../src/index.js';

describe('formatTicket', () => {
  it.each([
    [2026112100000042, {}, '20261121-000042'],
    ['2026112100000042', { width: 3 }, '20261121-042'],
    [2026110000000042n, { by: 'month' }, '202611-000042'],
    [2026000000000042, { by: 'year', width: 1 }, '2026-42'],
    [2026112101234567, {}, '20261121-1234567'],
    [9006123199999999, {}, '90061231-99999999'],
    [2026010100000001, { width: 12 }, '20260101-000000000001'],
    [2026101900000001, {}, '20261019-000001'],
    [2026129900000001, { by: 'year' }, '2026-129900000001'],
    [2026120000000001, { by: 'month' }, '202612-000001'],
    [2026050000000001, { by: 'month' }, '202605-000001'],
  ] as const)('writes %s with %o as %s', (id, options, text) => {
    expect(formatTicket(id, options)).toBe(text);
  });

  it.each([
    [42, {}],
    [0, {}],
    [-1, {}],
    [2026112100000000, {}],
    [2026130100000001, {}],
    [2026000100000001, {}],
    [2026010000000001, {}],
    [2026013200000001, {}],
    [2026130000000001, { by: 'month' }],
    [20261121000001, {}],
    [202611000001, { by: 'year' }],
    [9007199254740992n, {}],
    ['2026112100000042 ', {}],
    [2026112100000042, { width: 13 }],
    [20261121000000421n, {}],
    ['02026112100000042', {}],
    ['', {}],
    [2026112100000042, { by: 'week' }],
    [2026112100000042, { width: 0 }],
    [2026112100000042, { width: 1.5 }],
  ])('refuses %s with %o', (id, options) => {
    expect(() => formatTicket(id, options as Parameters<typeof formatTicket>[1])).toThrow(RangeError);
  });

  it.each([
    [{ width: 0 }, 'width must be a whole number from 1 to 12, got 0'],
    [{ by: 'week' }, 'by must be "day", "month" or "year", got "week"'],
    [{ by: 'year' }, '42 is not an id of a sequence with groups by year'],
  ])('says what is wrong with %o', (options, message) => {
    expect(() => formatTicket(42, options as Parameters<typeof formatTicket>[1])).toThrow(message);
  });
});

it('parseTicket gives the number to be called out', () => {
  expect(parseTicket('2026112100000042')).toEqual({ group: '20261121', number: 42 });
});
