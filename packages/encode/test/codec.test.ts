import { boolean as anyBoolean, bigInt, constantFrom, assert as hold, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCodec, type EncodeOptions } from '../src/index.js';
import { gpids, KEY, numberGuarantees, objectIds } from './support/subject.js';

const LAST = Number.MAX_SAFE_INTEGER;
const alphabets = ['decimal', 'hex', 'base62', 'crockford'] as const;
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
    expect(() => codec.encode(0x1_0000)).toThrow(expect.objectContaining({ code: 'ERR_IDS_EXHAUSTED' }));
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
          expect(() => codec.decode(wrong)).toThrow(SyntaxError);
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

it('a second text of the same id is refused', () => {
  expect(numbers({ as: 'hex' }).decode('ff')).toBe(255);
  expect(() => numbers({ as: 'hex' }).decode('0ff')).toThrow(SyntaxError);
});
