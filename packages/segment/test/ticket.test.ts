import { describe, expect, it } from 'vitest';
import { formatTicket, ticketOf } from '../src/index.js';

describe('formatTicket', () => {
  it.each([
    [2026112100000042, {}, '20261121-000042'],
    ['2026112100000042', { width: 3 }, '20261121-042'],
    [2026110000000042n, { by: 'month' }, '202611-000042'],
    [2026000000000042, { by: 'year', width: 1 }, '2026-42'],
    [2026112101234567, {}, '20261121-1234567'],
    [9006123199999999, {}, '90061231-99999999'],
  ] as const)('writes %s with %o as %s', (id, options, text) => {
    expect(formatTicket(id, options)).toBe(text);
  });

  it.each([
    [42, {}],
    [0, {}],
    [-1, {}],
    [2026112100000000, {}],
    [2026130100000001, {}],
    [20261121000000421n, {}],
    ['02026112100000042', {}],
    ['', {}],
    [2026112100000042, { by: 'week' }],
    [2026112100000042, { width: 0 }],
    [2026112100000042, { width: 1.5 }],
  ])('refuses %s with %o', (id, options) => {
    expect(() => formatTicket(id, options as Parameters<typeof formatTicket>[1])).toThrow(RangeError);
  });
});

it('ticketOf gives the number to be called out', () => {
  expect(ticketOf('2026112100000042')).toEqual({ group: '20261121', number: 42 });
});
