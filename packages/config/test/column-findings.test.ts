import { createCodec } from '@ids/encode';
import { describe, expect, it } from 'vitest';
import { finding, numbers, ofNumbers, ofTexts, orders, WIDE } from './swap-subject.js';

describe('a column', () => {
  it.each([
    ['smallint', 'danger'],
    ['integer', 'danger'],
    ['bigint', 'same'],
    ['numeric', 'same'],
    ['text', 'same'],
    ['real', 'danger'],
    ['double precision', 'same'],
  ])('of type %s for numbers', (type, verdict) => {
    expect(finding('column', ofNumbers, ofNumbers, { ...orders, type })).toMatchObject({
      verdict,
      from: `orders.id ${type}`,
      to: 'number, up to 16 characters',
    });
  });

  it.each([
    ['integer', 'danger'],
    ['double precision', 'danger'],
    ['bigint', 'same'],
    ['numeric', 'same'],
  ])('of type %s for numbers of 63 bits', (type, verdict) => {
    expect(finding('column', ofNumbers, { guarantees: WIDE }, { ...orders, type })?.verdict).toBe(verdict);
  });

  it.each([
    ['bigint', undefined, 'danger'],
    ['uuid', undefined, 'danger'],
    ['numeric', undefined, 'danger'],
    ['character', 23, 'danger'],
    ['character', 24, 'same'],
  ])('of type %s for %s characters, for texts', (type, maxLength, verdict) => {
    expect(finding('column', ofNumbers, ofTexts, { ...orders, type, maxLength })).toMatchObject({
      verdict,
      from: `orders.id ${type}${maxLength === undefined ? '' : `(${maxLength})`}`,
      to: 'string, up to 24 characters',
    });
  });

  it('of numbers holds numbers, whatever their strings and its length', () => {
    const padded = { guarantees: { ...numbers, text: { ...numbers.text, pattern: /^[0-9]{16}$/ } } };
    expect(finding('column', padded, padded, orders)?.verdict).toBe('same');
  });

  it.each([
    [10, 'danger'],
    [15, 'danger'],
    [16, 'same'],
  ])('of type numeric(%s) for numbers', (maxLength, verdict) => {
    expect(finding('column', ofNumbers, ofNumbers, { ...orders, type: 'numeric', maxLength })).toMatchObject({
      from: `orders.id numeric(${maxLength})`,
      verdict,
    });
  });

  it.each([
    ['tinyint', 'danger'],
    ['mediumint', 'danger'],
    ['longtext', 'same'],
    ['date', 'change'],
  ])('of type %s for numbers, too', (type, verdict) => {
    expect(finding('column', ofNumbers, ofNumbers, { ...orders, type })?.verdict).toBe(verdict);
  });

  const KEY = '00112233445566778899aabbccddeeff';

  it('of numbers drops the leading zeros of digits of a fixed width', () => {
    for (const options of [
      { as: 'decimal', width: 12 },
      { as: 'decimal', obfuscate: true, key: KEY },
    ] as const) {
      const { guarantees } = createCodec(numbers, options);
      expect(finding('column', ofNumbers, { guarantees }, orders)?.verdict).toBe('danger');
      expect(finding('column', ofNumbers, { guarantees }, { ...orders, type: 'text' })?.verdict).toBe('same');
    }
  });

  it('of type bigint does not hold a check digit after 63 bits', () => {
    const { guarantees } = createCodec(WIDE, { as: 'decimal', check: true });
    expect(finding('column', { guarantees: WIDE }, { guarantees }, orders)).toMatchObject({
      verdict: 'danger',
      advice: expect.stringContaining('99999999999999999999'),
    });
    const short = createCodec(numbers, { as: 'decimal', check: true }).guarantees;
    expect(finding('column', ofNumbers, { guarantees: short }, orders)?.verdict).toBe('same');
  });

  it('of numbers holds strings of decimal digits', () => {
    const digits = { guarantees: { ...numbers, idType: 'string' as const } };
    expect(finding('column', digits, digits, orders)?.verdict).toBe('same');
    expect(finding('column', digits, digits, { ...orders, type: 'smallint' })?.verdict).toBe('danger');
  });

  it.each([
    [false, false, 'same'],
    [false, true, 'same'],
    [true, false, 'same'],
  ])('that ignores case (%s) and ids that mix cases (%s)', (ignoresCase, mixed, verdict) => {
    const side = mixed ? ofTexts : ofNumbers;
    expect(finding('collation', side, side, { ...orders, ignoresCase })?.verdict).toBe(verdict);
  });

  it('that ignores case cannot tell ids apart that differ in case only', () => {
    expect(finding('collation', ofTexts, ofTexts, { ...orders, ignoresCase: true })).toMatchObject({
      verdict: 'danger',
      advice: expect.stringMatching(/crockford.*hex/),
    });
  });
});
