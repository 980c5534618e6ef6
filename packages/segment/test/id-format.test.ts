import { describe, expect, it } from 'vitest';
import { DECIMAL_TEXT, inspectDecimal, toIdOf } from '../src/index.js';

describe('an id of a sequence', () => {
  it('is exact in each type', () => {
    expect(toIdOf.number(Number.MAX_SAFE_INTEGER)).toBe(9007199254740991);
    expect(toIdOf.bigint(Number.MAX_SAFE_INTEGER)).toBe(9007199254740991n);
    expect(toIdOf.string(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
  });

  it('is 1 to 16 decimal digits as text, which do not sort as numbers do', () => {
    const { pattern, ...rest } = DECIMAL_TEXT;
    const facts = {
      alphabet: '0123456789',
      minLength: 1,
      maxLength: 16,
      sortable: false,
      caseSensitive: false,
    };
    expect(rest).toEqual(facts);
    for (const text of ['1', '42', '9007199254740991']) expect(pattern.test(text)).toBe(true);
    for (const text of ['', '0', '01', 'x1', '1x', '-1', '1.5', '1'.repeat(17)]) {
      expect(pattern.test(text)).toBe(false);
    }
  });

  it('says its number, with a note', () => {
    const note = expect.any(String);
    for (const text of ['42', '9007199254740991']) {
      expect(inspectDecimal(text)).toEqual([{ name: 'counter', value: text, note }]);
    }
    for (const text of ['', '042', 'x', '9007199254740992']) expect(inspectDecimal(text)).toBeUndefined();
  });
});
