import type { Guarantees, SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';
import { describe, expect, it } from 'vitest';
import { createCodec, type EncodeOptions, encodeIds } from '../src/index.js';
import { KEY, numberGuarantees, texts, upTo999 } from './support/subject.js';

const LAST = Number.MAX_SAFE_INTEGER;

const numbers = (options: EncodeOptions) => createCodec<number>(numberGuarantees, options);
const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;
function refusal(options: object): string | undefined {
  try {
    numbers(options as EncodeOptions);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the options of an encoding, at their ends', () => {
  it.each([
    { as: 'hex', width: 1 },
    { as: 'hex', width: 64 },
    { as: 'decimal', width: 6, obfuscate: true, key: KEY },
    { as: 'hex', obfuscate: true, key: KEY.toUpperCase() },
    { as: 'hex', obfuscate: true, key: KEY.slice(0, 16) + KEY },
    { as: 'hex', obfuscate: true, key: KEY + KEY },
    { prefix: '!' },
    { prefix: '~'.repeat(32) },
  ])('%j is accepted', (options) => {
    expect(refusal(options)).toBeUndefined();
  });

  it.each([65, 1.5, '8', -1, Number.NaN])('a width of %j is refused', (width) => {
    expect(refusal({ as: 'hex', width })).toContain('"width"');
  });

  it.each([7, ['x'], '', 'x'.repeat(33), ' x', 'x ', 'ü'])('a prefix of %j is refused', (prefix) => {
    expect(refusal({ prefix })).toContain('"prefix"');
  });

  it.each([
    'a',
    `${KEY}x`,
    `x${KEY}`,
    `${KEY}0`,
    KEY.slice(1),
    'x'.repeat(48),
    'x'.repeat(64),
    `${KEY}${KEY}0`,
  ])('a key that is no secret of 32, 48 or 64 hex digits is refused and not shown: %s', (key) => {
    const refused = refusal({ as: 'hex', obfuscate: true, key });
    expect(refused).toContain('"key"');
    expect(refused).toBe(refusal({ as: 'hex', obfuscate: true, key: '' }));
  });

  it('lists everything that is wrong, a line each', () => {
    expect(refusal({ as: 'hex', obfuscate: 1, check: 1 })).toMatch(/"check".*\n.*"obfuscate"/);
    expect(refusal({ width: 4, check: true })).toMatch(/"width".*\n.*"check"/);
  });
});

describe('what cannot be encoded', () => {
  it.each([-1, 1.5, LAST + 1, Number.NaN])('the number %d is refused', (id) => {
    expect(() => numbers({ as: 'hex' }).encode(id)).toThrow(TypeError);
  });

  it('a negative bigint is refused, and a large one is not', () => {
    const codec = createCodec<bigint>({ ...numberGuarantees, idType: 'bigint' }, { as: 'hex' });
    expect(() => codec.encode(-1n)).toThrow(TypeError);
    expect(codec.encode(2n ** 53n)).toBe('20000000000000');
    expect(codec.encode(BigInt(LAST))).toBe('1fffffffffffff');
  });

  it.each([7, undefined, null])('%j is no text to decode', (text) => {
    const codec = numbers({ as: 'hex' });
    expect(() => codec.decode(text as unknown as string)).toThrow(TypeError);
  });
});

describe('the text of an id', () => {
  it('is as short as its number where ids count up, whatever their type', () => {
    const bigints = createCodec<bigint>({ ...numberGuarantees, idType: 'bigint' }, { as: 'hex' });
    const decimals = createCodec<string>(texts(/^[1-9][0-9]*$/, 16, DIGITS, 1), { as: 'hex' });
    expect([numbers({ as: 'hex' }).encode(255), bigints.encode(255n), decimals.encode('255')]).toEqual([
      'ff',
      'ff',
      'ff',
    ]);
  });

  it('has its bounds in its guarantees', () => {
    const pattern = (options: EncodeOptions) => numbers(options).guarantees.text.pattern.source;
    expect(pattern({ as: 'hex' })).toBe('^(?:[0-9a-f]{1,14})$');
    expect(pattern({ as: 'hex', check: true })).toBe('^(?:[0-9a-f]{2,15})$');
    expect(pattern({ as: 'hex', width: 16 })).toBe('^(?:[0-9a-f]{16})$');
    expect(numbers({ as: 'hex' }).guarantees.text).toMatchObject({ maxLength: 14, sortable: false });
    expect(numbers({ as: 'hex', width: 16 }).guarantees).toMatchObject({
      idType: 'string',
      text: { maxLength: 16, sortable: true },
    });
  });

  it('may have a prefix of characters that mean something in a pattern', () => {
    const { encode, guarantees } = numbers({ as: 'hex', prefix: 'a.b*(c)[d]/^$+?{2}|\\' });
    const text = encode(255);
    expect(text).toBe('a.b*(c)[d]/^$+?{2}|\\ff');
    expect(text).toMatch(guarantees.text.pattern);
    expect(text.replace('.', 'x')).not.toMatch(guarantees.text.pattern);
  });

  it('must have as many digits as were encoded', () => {
    expect(() => numbers({ as: 'hex' }).decode('1'.repeat(15))).toThrow(SyntaxError);
    expect(() => numbers({ as: 'hex' }).decode('')).toThrow(SyntaxError);
    expect(numbers({ as: 'hex' }).decode('0')).toBe(0);
  });

  it('ends with the last id, and no text above it is read', () => {
    const codec = numbers({ as: 'hex' });
    expect(codec.decode('1fffffffffffff')).toBe(LAST);
    expect(() => codec.decode('20000000000000')).toThrow(SyntaxError);
    const three = createCodec<number>(upTo999, { as: 'decimal' });
    expect(three.decode('999')).toBe(999);
    expect(() => three.decode('1000')).toThrow(SyntaxError);
    const words = createCodec<string>(texts(/^[0-9a-f]{2}$/, 2, HEX), { as: 'decimal' });
    expect(words.decode('255')).toBe('ff');
    expect(() => words.decode('256')).toThrow(SyntaxError);
  });

  it('of decimal digits is a number up to its length, whatever bounds its length', () => {
    for (const pattern of [/^[1-9][0-9]*$/, /^[1-9][0-9]{0,20}$/, /^\d+$/]) {
      const codec = createCodec<string>(texts(pattern, 21, DIGITS, 1), { as: 'decimal' });
      expect(codec.decode(codec.encode('9'.repeat(21)))).toBe('9'.repeat(21));
      expect(codec.guarantees.text.maxLength).toBe(21);
    }
  });

  it.each([/^x|^[0-9a-f]{4}$/, /^[0-9a-f]{4}$|x$/, /^x|^[1-9][0-9]*$/, /^[1-9][0-9]*$|x$/])(
    'of %s is no number, since another one may fit as well',
    (pattern) => {
      expect(() => createCodec(texts(pattern, 4, `${HEX}x`, 1), { as: 'hex' })).toThrow('"as"');
    },
  );

  it('of digits with leading zeros is a number where all have one length, and none where they have not', () => {
    const padded = createCodec<string>(texts(/^\d{4}$/, 4, DIGITS), { as: 'decimal' });
    expect([padded.encode('0042'), padded.decode('0042')]).toEqual(['0042', '0042']);
    const counted = createCodec<string>(texts(/^\d+$/, 4, DIGITS, 1), { as: 'hex' });
    expect(counted.encode('42')).toBe('2a');
    expect(() => counted.encode('0042')).toThrow(TypeError);
  });

  it('states what it begins with, its characters and its lengths', () => {
    const facts = (options: EncodeOptions, guarantees: Guarantees = numberGuarantees) => {
      const { prefix, alphabet, minLength, maxLength } = createCodec(guarantees, options).guarantees.text;
      return [prefix, alphabet, minLength, maxLength];
    };
    expect(facts({ as: 'hex', prefix: 'n_', check: true })).toEqual(['n_', HEX, 4, 17]);
    expect(facts({ as: 'decimal', width: 20 })).toEqual([undefined, DIGITS, 20, 20]);
    expect(facts({ prefix: 'n_' })).toEqual(['n_', DIGITS, 3, 18]);
    const named = texts(/^a-.$/, 3, undefined, 3);
    expect(facts({ prefix: 'n_' }, { ...named, text: { ...named.text, prefix: 'a-' } })).toEqual([
      'n_a-',
      undefined,
      5,
      5,
    ]);
  });

  it('that has a prefix only is still held to the pattern of its strategy', () => {
    const codec = createCodec<string>(texts(/^a\$|b\^c$/, 3), { prefix: 'm_' });
    expect(codec.decode('m_b^c')).toBe('b^c');
    expect(() => codec.decode('m_x')).toThrow(SyntaxError);
    expect(codec.guarantees.text.pattern.source).toBe('^m_(?:a\\$|b\\^c)$');
    expect(() => numbers({ prefix: 'n' }).decode('n7x')).toThrow(SyntaxError);
  });
});

it('a generator that encodes is ready when the one behind it is', async () => {
  let count = 0;
  const inner: SyncIdGenerator<number> = memoryGenerator({
    strategy: 'counter',
    guarantees: numberGuarantees,
    issue: () => ++count,
  });
  const ids = encodeIds(inner, { as: 'hex' });
  await ids.ready();
  await inner.close();
  await expect(ids.ready()).rejects.toMatchObject({ code: 'ERR_IDS_CLOSED' });
});
