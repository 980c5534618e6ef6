import type { Guarantees } from '@ids/core';
import { boolean as anyBoolean, bigInt, constantFrom, assert as hold, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodec, type EncodeOptions } from '../src/index.js';
import { numberGuarantees } from './support/subject.js';

const KEY = '2b7e151628aed2a6abf7158809cf4f3c';
const LAST = Number.MAX_SAFE_INTEGER;
const alphabets = ['decimal', 'hex', 'base62', 'crockford'] as const;
const objectIds: Guarantees = {
  ...numberGuarantees,
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1_000 },
  idType: 'string',
  text: {
    pattern: /^[0-9a-f]{24}$/,
    alphabet: '0123456789abcdef',
    minLength: 24,
    maxLength: 24,
    sortable: true,
  },
  discloses: ['time', 'volume'],
};
const gpids: Guarantees = {
  ...numberGuarantees,
  idType: 'string',
  text: { pattern: /^[0-9.:/]+$/, alphabet: '0123456789.:/', minLength: 1, maxLength: 80, sortable: false },
};

const numbers = (options: EncodeOptions) => createCodec<number>(numberGuarantees, options);

describe('an encoding', () => {
  it('claims no alphabet and no least length of ids that claim none', () => {
    const { alphabet: _, minLength: __, ...bare } = gpids.text;
    const { text } = createCodec({ ...gpids, text: bare }, { prefix: 'm_' }).guarantees;
    expect(text).toStrictEqual({
      pattern: /^m_(?:[0-9.:/]+)$/,
      prefix: 'm_',
      maxLength: 82,
      sortable: false,
      caseSensitive: false,
    });
  });

  it.each([
    [{ as: 'decimal', width: 16 }, 42, '0000000000000042'],
    [{ as: 'hex' }, 255, 'ff'],
    [{ as: 'base62' }, 61, 'z'],
    [{ as: 'base62', width: 11, prefix: 'ord_' }, 48_001, 'ord_00000000CUD'],
    [{ as: 'crockford' }, 1_234_567, '15NM7'],
    [{ as: 'crockford', width: 13, prefix: 'usr_' }, LAST, 'usr_007ZZZZZZZZZZ'],
    [{ prefix: 'n' }, 7, 'n7'],
  ] as const)('with %j writes %d as %s, and reads it back', (options, id, text) => {
    const codec = numbers(options);
    expect(codec.encode(id)).toBe(text);
    expect(codec.decode(text)).toBe(id);
  });

  it('gives back every id, whatever the options', () => {
    const options = [constantFrom(...alphabets), anyBoolean(), anyBoolean(), anyBoolean()] as const;
    hold(
      property(integer({ min: 0, max: LAST }), ...options, (id, as, check, wide, obfuscate) => {
        const codec = numbers({
          as,
          check,
          ...(wide && { width: 20 }),
          ...(obfuscate && { obfuscate, key: KEY }),
        });
        const text = codec.encode(id);
        expect(text).toMatch(codec.guarantees.text.pattern);
        expect(text.length).toBeLessThanOrEqual(codec.guarantees.text.maxLength);
        expect(codec.decode(text)).toBe(id);
      }),
    );
  });

  it('gives back ids of other types as they were', () => {
    const big = createCodec<bigint>({ ...numberGuarantees, idType: 'bigint' }, { as: 'base62' });
    expect(big.decode(big.encode(9_007_199_254_740_991n))).toBe(9_007_199_254_740_991n);
    const text = createCodec<string>({ ...numberGuarantees, idType: 'string' }, { as: 'base62' });
    expect(text.decode(text.encode('48001'))).toBe('48001');
    hold(
      property(bigInt({ min: 0n, max: 2n ** 96n - 1n }), constantFrom(...alphabets), (value, as) => {
        const id = value.toString(16).padStart(24, '0');
        const codec = createCodec<string>(objectIds, { as });
        expect(codec.encode(id)).toMatch(codec.guarantees.text.pattern);
        expect(codec.decode(codec.encode(id))).toBe(id);
      }),
    );
  });

  it.each(alphabets)('of one width in %s sorts like the numbers', (as) => {
    const codec = numbers({ as, width: 16, prefix: 'x_', check: true });
    const id = integer({ min: 0, max: LAST });
    hold(
      property(id, id, (a, b) => {
        expect(codec.encode(a) < codec.encode(b)).toBe(a < b);
      }),
    );
    expect(codec.guarantees.text.sortable).toBe(true);
  });

  it('says that an id has outgrown the width', () => {
    const codec = numbers({ as: 'hex', width: 4 });
    expect(codec.encode(0xffff)).toBe('ffff');
    expect(() => codec.encode(0x1_0000)).toThrow(
      expect.objectContaining({
        code: 'ERR_IDS_EXHAUSTED',
        message: 'encode: id 65536 has 5 digits, more than the "width" of 4: choose a greater "width"',
      }),
    );
  });

  it('reads Crockford texts as people write them', () => {
    const codec = numbers({ as: 'crockford', width: 4 });
    expect(['01OK', '0-1-0-k', 'oLoK', '0i0k'].map(codec.decode)).toEqual([1043, 1043, 1043, 1043]);
  });
});

describe('a check digit', () => {
  it.each(alphabets)('in %s finds every single wrong digit', (as) => {
    const codec = numbers({ as, width: 8, check: true });
    const digits = { decimal: 10, hex: 16, base62: 62, crockford: 32 }[as];
    hold(
      property(
        integer({ min: 0, max: 10 ** 8 - 1 }),
        integer({ min: 0, max: 8 }),
        integer({ min: 1, max: digits - 1 }),
        (id, place, shift) => {
          const text = codec.encode(id);
          const all = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
          const known = [...all].filter((character) =>
            codec.guarantees.text.pattern.test(character.repeat(9)),
          );
          const at = known.indexOf(text[place] ?? '');
          const wrong = text.slice(0, place) + known[(at + shift) % known.length] + text.slice(place + 1);
          expect(() => codec.decode(wrong)).toThrow('is mistyped: its check digit does not match');
        },
      ),
    );
  });

  it('finds nearly every swap of two neighbours', () => {
    const codec = numbers({ as: 'crockford', width: 8, check: true });
    let [swaps, found] = [0, 0];
    for (let id = 1; id < 2_000_000; id += 997) {
      const text = codec.encode(id);
      for (let i = 0; i < 8; i++) {
        const swapped = `${text.slice(0, i)}${text[i + 1]}${text[i]}${text.slice(i + 2)}`;
        if (swapped === text) continue;
        swaps++;
        try {
          codec.decode(swapped);
        } catch {
          found++;
        }
      }
    }
    expect(found / swaps).toBeGreaterThan(0.97);
  });
});

describe('an obfuscated id', () => {
  const options = { as: 'crockford', obfuscate: true, key: KEY } as const;

  it('shows neither its neighbours nor how many there are', () => {
    const { encode, guarantees } = numbers(options);
    const texts = Array.from({ length: 2_000 }, (_, index) => encode(index + 1));
    // A leading digit of 32 is expected 62 times; all-equal digits, as plain numbers have,
    // would give one of them 2,000.
    const leading = new Map<string, number>();
    for (const [first = ''] of texts) leading.set(first, (leading.get(first) ?? 0) + 1);
    expect(Math.max(...leading.values())).toBeLessThan(150);
    expect(new Set(texts).size).toBe(2_000);
    expect(guarantees).toMatchObject({
      order: { process: 'none', cluster: 'none' },
      discloses: [],
      text: { sortable: false },
    });
  });

  it('is another text under another key and under another prefix', () => {
    const bodies = [
      numbers(options).encode(1),
      numbers({ ...options, key: KEY.replace('2', '3') }).encode(1),
      numbers({ ...options, prefix: 'u_' })
        .encode(1)
        .slice(2),
      numbers({ ...options, prefix: 'o_' })
        .encode(1)
        .slice(2),
    ];
    expect(new Set(bodies).size).toBe(4);
  });

  it('is what the first sample of NIST for FF1 says', () => {
    const codec = numbers({ as: 'decimal', width: 10, obfuscate: true, key: KEY });
    expect(codec.encode(123_456_789)).toBe('2433477484');
  });

  it('keeps the text it had when the package was first released', () => {
    expect(numbers({ ...options, prefix: 'ord_', check: true }).encode(48_001)).toBe('ord_R8RR18WMFYGB');
  });

  it('hides what an ObjectId tells', () => {
    expect(createCodec(objectIds, options).guarantees.discloses).toEqual([]);
    expect(createCodec(objectIds, { as: 'crockford' }).guarantees.discloses).toEqual(['time', 'volume']);
  });
});

describe('a text that was not encoded', () => {
  const codec = numbers({ as: 'base62', width: 9, prefix: 'ord_' });
  it.each([
    ['usr_000000CUD', '"usr_000000CUD" does not begin with "ord_"'],
    ['ord_CUD', '"CUD" must be 9 digits of base62'],
    ['ord_00000_CUD', '"00000_CUD" must be 9 digits of base62'],
    ['ord_zzzzzzzzz', '"zzzzzzzzz" is not an id produced by this encoder'],
  ])('%s is refused', (text, message) => {
    expect(() => codec.decode(text)).toThrow(new SyntaxError(message));
  });

  it('is refused also where it would be a second text of the same id', () => {
    expect(numbers({ as: 'hex' }).decode('ff')).toBe(255);
    expect(() => numbers({ as: 'hex' }).decode('0ff')).toThrow('is not an id produced by this encoder');
  });
});

describe('what an encoding accepts', () => {
  const refuse = (options: unknown, guarantees = numberGuarantees): unknown => {
    try {
      createCodec(guarantees, options as EncodeOptions);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  it.each([
    [{}, 'encode: set "as", "form" or "prefix", or remove "encode"'],
    [
      { as: 'base64' },
      'encode: option "as": must be one of "decimal", "hex", "base62", "crockford", got "base64"',
    ],
    [{ as: 'hex', width: 0 }, 'encode: option "width": must be a whole number from 1 to 64, got 0'],
    [
      { prefix: 'ord er' },
      'encode: option "prefix": must be 1 to 32 printable ASCII characters without white space, got "ord er"',
    ],
    [{ as: 'hex', check: 'yes' }, 'encode: option "check": must be true or false, got "yes"'],
    [{ prefix: 'x', check: true }, 'encode: "check" needs digits: set "as" too'],
    [
      { as: 'hex', obfuscate: true },
      'encode: "obfuscate" needs a "key": must be a secret of 32, 48 or 64 hex digits',
    ],
    [{ as: 'hex', key: KEY }, 'encode: "key" is only for "obfuscate": true'],
    [
      { as: 'hex', obfuscate: true, key: 'hunter2' },
      'encode: option "key": must be a secret of 32, 48 or 64 hex digits',
    ],
    [
      { as: 'hex', width: 4, obfuscate: true, key: KEY },
      'encode: option "width": obfuscated ids need at least 5 digits to hide among, got 4',
    ],
  ])('%j is refused', (options, message) => {
    expect(refuse(options)).toMatchObject({ code: 'ERR_IDS_CONFIG', message });
  });

  it('depends on the ids', () => {
    expect(refuse({ as: 'hex' }, gpids)).toMatchObject({
      message: 'encode: "as": these ids are not numbers, so only "prefix" can be used',
    });
    expect(refuse({ prefix: 'm_' }, gpids)).toBeUndefined();
    expect(refuse({ as: 'base62', width: 16 }, objectIds)).toMatchObject({
      message: 'encode: option "width": these ids need at least 17 digits, got 16',
    });
  });
});
