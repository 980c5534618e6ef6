import { createCodec } from '@ids/encode';
import { describe, expect, it } from 'vitest';
import { finding, numbers, ofNumbers, ofTexts, orders, WIDE } from './swap-subject.js';

describe('a column', () => {
  it.each([
    ['smallint', 'danger', 'it ends at 32767, the ids at 9007199254740991: make it bigint'],
    ['integer', 'danger', 'it ends at 2147483647, the ids at 9007199254740991: make it bigint'],
    ['bigint', 'same', 'its type holds the new ids'],
    ['numeric', 'same', 'its type holds the new ids'],
    ['text', 'same', 'its type holds the new ids'],
    ['real', 'danger', 'it ends at 16777216, the ids at 9007199254740991: make it bigint'],
    ['double precision', 'same', 'its type holds the new ids'],
  ])('of type %s for numbers', (type, verdict, advice) => {
    expect(finding('column', ofNumbers, ofNumbers, { ...orders, type })).toEqual({
      about: 'column',
      verdict,
      from: `orders.id ${type}`,
      to: 'number, up to 16 characters',
      advice,
    });
  });

  it.each([
    ['integer', 'it ends at 2147483647, the ids at 9223372036854775807: make it bigint'],
    ['double precision', 'it ends at 9007199254740992, the ids at 9223372036854775807: make it bigint'],
    ['bigint', 'its type holds the new ids'],
    ['numeric', 'its type holds the new ids'],
  ])('of type %s for numbers of 63 bits', (type, advice) => {
    expect(finding('column', ofNumbers, { guarantees: WIDE }, { ...orders, type })?.advice).toBe(advice);
  });

  it.each([
    ['bigint', undefined, 'danger', 'a column of type bigint cannot hold strings: change its type'],
    ['uuid', undefined, 'danger', 'a column of type uuid holds UUIDs only: change its type'],
    ['numeric', undefined, 'danger', 'a column of type numeric cannot hold strings: change its type'],
    ['character', 23, 'danger', 'it holds 23 characters, the ids have up to 24'],
    ['character', 24, 'same', 'its type holds the new ids'],
  ])('of type %s for %s characters, for texts', (type, maxLength, verdict, advice) => {
    expect(finding('column', ofNumbers, ofTexts, { ...orders, type, maxLength })).toEqual({
      about: 'column',
      verdict,
      from: `orders.id ${type}${maxLength === undefined ? '' : `(${maxLength})`}`,
      to: 'string, up to 24 characters',
      advice,
    });
  });

  it('of numbers holds numbers, whatever their strings and its length', () => {
    const padded = { guarantees: { ...numbers, text: { ...numbers.text, pattern: /^[0-9]{16}$/ } } };
    expect(finding('column', padded, padded, orders)?.verdict).toBe('same');
  });

  it.each([
    [10, 'danger', 'it ends at 9999999999, the ids at 9007199254740991: make it bigint'],
    [15, 'danger', 'it ends at 999999999999999, the ids at 9007199254740991: make it bigint'],
    [16, 'same', 'its type holds the new ids'],
  ])('of type numeric(%s) for numbers', (maxLength, verdict, advice) => {
    expect(finding('column', ofNumbers, ofNumbers, { ...orders, type: 'numeric', maxLength })).toMatchObject({
      from: `orders.id numeric(${maxLength})`,
      verdict,
      advice,
    });
  });

  it.each([
    ['tinyint', 'danger', 'it ends at 127, the ids at 9007199254740991: make it bigint'],
    ['mediumint', 'danger', 'it ends at 8388607, the ids at 9007199254740991: make it bigint'],
    ['longtext', 'same', 'its type holds the new ids'],
    [
      'date',
      'change',
      'it holds neither numbers nor text: test whether a column of type date can hold the new ids',
    ],
  ])('of type %s for numbers, too', (type, verdict, advice) => {
    expect(finding('column', ofNumbers, ofNumbers, { ...orders, type })).toMatchObject({ verdict, advice });
  });

  const KEY = '00112233445566778899aabbccddeeff';

  it('of numbers drops the leading zeros of digits of a fixed width', () => {
    for (const options of [
      { as: 'decimal', width: 12 },
      { as: 'decimal', obfuscate: true, key: KEY },
    ] as const) {
      const { guarantees } = createCodec(numbers, options);
      const digits = guarantees.text.maxLength;
      expect(finding('column', ofNumbers, { guarantees }, orders)).toMatchObject({
        verdict: 'danger',
        advice: `it drops the leading zeros of ids of ${digits} digits: make it text, or store the ids as they are before "encode"`,
      });
      expect(finding('column', ofNumbers, { guarantees }, { ...orders, type: 'text' })?.verdict).toBe('same');
    }
  });

  it('of type bigint does not hold a check digit after 63 bits', () => {
    const { guarantees } = createCodec(WIDE, { as: 'decimal', check: true });
    expect(finding('column', { guarantees: WIDE }, { guarantees }, orders)).toMatchObject({
      verdict: 'danger',
      advice: 'it ends at 9223372036854775807, the ids at 99999999999999999999: make it text',
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
    [false, false, 'same', 'orders.id distinguishes case', 'one case'],
    [false, true, 'same', 'orders.id distinguishes case', 'upper and lower case mixed'],
    [true, false, 'same', 'orders.id ignores case', 'one case'],
  ])('that ignores case (%s) and ids that mix cases (%s)', (ignoresCase, mixed, verdict, from, to) => {
    const side = mixed ? ofTexts : ofNumbers;
    expect(finding('collation', side, side, { ...orders, ignoresCase })).toEqual({
      about: 'collation',
      verdict,
      from,
      to,
    });
  });

  it('that ignores case cannot tell ids apart that differ in case only', () => {
    expect(finding('collation', ofTexts, ofTexts, { ...orders, ignoresCase: true })).toEqual({
      about: 'collation',
      verdict: 'danger',
      from: 'orders.id ignores case',
      to: 'upper and lower case mixed',
      advice:
        'this column would treat two ids as equal: give it a collation that distinguishes case, or encode as crockford or hex',
    });
  });
});
