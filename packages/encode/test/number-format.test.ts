import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNumberFormat, type NumberFormatOptions } from '../src/index.js';

const INVOICE = createNumberFormat({ format: 'INV-{yyyy}-{00000}' });

describe('a number format', () => {
  it('writes the year of the document and the number, and reads both back', () => {
    expect(INVOICE.format(42, '2026-12-31')).toBe('INV-2026-00042');
    expect(INVOICE.parse('INV-2026-00042')).toEqual({ year: 2026, number: 42 });
    const plain = createNumberFormat({ format: 'R{n}', sortable: false });
    expect([plain.format(7), plain.parse('R7')]).toEqual(['R7', { number: 7 }]);
    expect([INVOICE.sortable, plain.sortable]).toEqual([true, false]);
  });

  it.each([
    [{ yearStartsIn: 4 }, '2026-03-31', 2025],
    [{ yearStartsIn: 4 }, '2026-04-01', 2026],
    [{ yearStartsIn: 10, yearNamedAfter: 'end' }, '2026-09-30', 2026],
    [{ yearStartsIn: 10, yearNamedAfter: 'end' }, '2026-10-01', 2027],
    [{ yearStartsIn: 1, yearNamedAfter: 'end' }, '2026-12-31', 2026],
  ] as const)('with %o takes the fiscal year of %s for %i', (year, date, expected) => {
    const format = createNumberFormat({ format: '{yyyy}/{000}', ...year });
    expect(format.format(1, date)).toBe(`${expected}/001`);
    expect(format.keyOf('acme', date)).toBe(`acme/${expected}`);
  });

  it('continues the series of the document, not of the clock', () => {
    expect(INVOICE.keyOf('acme', '2026-12-31')).toBe('acme/2026');
    expect(INVOICE.keyOf('', '2027-01-01')).toBe('2027');
    const plain = createNumberFormat({ format: 'INV-{00000}' });
    expect(() => plain.keyOf('acme', '2026-12-31')).toThrow('{yyyy}');
  });

  it('accepts what does not sort, if it is said', () => {
    const format = createNumberFormat({ format: '{000}/{yyyy}', sortable: false });
    expect(format.parse(format.format(7, '2026-01-01'))).toEqual({ year: 2026, number: 7 });
  });

  it.each([
    [{ yearStartsIn: 0 }, 'yearStartsIn'],
    [{ yearStartsIn: 1.5 }, 'yearStartsIn'],
    [{ yearNamedAfter: 'both' }, 'yearNamedAfter'],
  ])('refuses %o', (options, named) => {
    expect(() => createNumberFormat({ format: '{000}', ...options } as NumberFormatOptions)).toThrow(named);
  });

  it.each([undefined, '', '2026', '2026-02-30', '2026-13-01', '26-01-01', '2026-1-1', new Date()])(
    'refuses %s as a date',
    (date) => {
      expect(() => INVOICE.format(1, date as string)).toThrow(TypeError);
    },
  );

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53, '1'])('refuses %s as a number', (number) => {
    expect(() => INVOICE.format(number as number, '2026-01-01')).toThrow(RangeError);
  });

  it('refuses a number that outgrows it, and truncates none', () => {
    expect(INVOICE.format(99_999, '2026-01-01')).toBe('INV-2026-99999');
    expect(() => INVOICE.format(100_000, '2026-01-01')).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }),
    );
  });

  it.each([
    '',
    'INV-2026-42',
    'inv-2026-00042',
    'INV-2026-00042 ',
    'INV-2026-00042\n',
    '-INV-2026-00042',
    'INV-2026-00000',
    'INV-0000-00042',
    'INV-2026-000420',
  ])('does not read %j', (text) => {
    expect(() => INVOICE.parse(text)).toThrow(SyntaxError);
  });

  it('takes its own characters for themselves', () => {
    const format = createNumberFormat({ format: '(a|b)*.[+?]^$\\{yyyy}{0000}' });
    const text = format.format(12, '2026-05-05');
    expect(text).toBe('(a|b)*.[+?]^$\\20260012');
    expect(format.parse(text)).toEqual({ year: 2026, number: 12 });
  });

  it('reads back what it writes, and sorts as it says', () => {
    const piece = fc.constantFrom('', '-', '/', 'INV', '20', '0', ' ');
    const width = fc.integer({ min: 5, max: 16 });
    const entry = fc.tuple(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 9_999 }));
    fc.assert(
      fc.property(piece, piece, piece, width, entry, entry, (a, b, c, digits, one, other) => {
        const format = createNumberFormat({ format: `${a}{yyyy}${b}{${'0'.repeat(digits)}}${c}` });
        const [first, second] = [one, other].map(([number, year]) => {
          const text = format.format(number, `${String(year).padStart(4, '0')}-06-15`);
          expect(format.parse(text)).toEqual({ number, year });
          return text;
        }) as [string, string];
        const order = one[1] - other[1] || one[0] - other[0];
        expect(Math.sign(order)).toBe(first < second ? -1 : first > second ? 1 : 0);
      }),
    );
  });

  it('reads back numbers of any width, wherever the year is', () => {
    const piece = fc.constantFrom('', '-', '20', '0');
    fc.assert(
      fc.property(piece, piece, piece, fc.boolean(), fc.maxSafeNat(), (a, b, c, yearFirst, n) => {
        const [one, two] = yearFirst ? ['{yyyy}', '{n}'] : ['{n}', '{yyyy}'];
        const format = createNumberFormat({ format: a + one + b + two + c, sortable: false });
        const number = Math.max(1, n);
        expect(format.parse(format.format(number, '2026-01-01'))).toEqual({ number, year: 2026 });
      }),
    );
  });
});
