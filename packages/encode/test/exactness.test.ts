import type { Guarantees, Id } from '@ids/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Codec, createCodec, type EncodeOptions } from '../src/index.js';
import { KEY, numberGuarantees, upTo999 } from './support/subject.js';

const LAST = Number.MAX_SAFE_INTEGER;
const DIGITS = '0123456789';
const text = (pattern: RegExp, alphabet: string, minLength: number, maxLength: number) => {
  return { pattern, alphabet, minLength, maxLength, sortable: false };
};

/** Ids of each type that can be encoded, and what such ids are. */
const kinds: readonly (readonly [name: string, guarantees: Guarantees, ids: fc.Arbitrary<Id>])[] = [
  ['numbers', numberGuarantees, fc.integer({ min: 1, max: LAST })],
  [
    'bigints',
    { ...numberGuarantees, idType: 'bigint', text: text(/^[1-9][0-9]{0,18}$/, DIGITS, 1, 19) },
    fc.bigInt({ min: 1n, max: 10n ** 19n - 1n }),
  ],
  [
    'decimal texts',
    { ...numberGuarantees, idType: 'string', text: text(/^[1-9][0-9]*$/, DIGITS, 1, 21) },
    fc.bigInt({ min: 1n, max: 10n ** 21n - 1n }).map(String),
  ],
  [
    'hex texts',
    { ...numberGuarantees, idType: 'string', text: text(/^[0-9a-f]{24}$/, `${DIGITS}abcdef`, 24, 24) },
    fc.bigInt({ min: 0n, max: 2n ** 96n - 1n }).map((value) => value.toString(16).padStart(24, '0')),
  ],
  [
    'decimal texts whose pattern admits leading zeros',
    { ...numberGuarantees, idType: 'string', text: text(/^\d+$/, DIGITS, 1, 21) },
    fc.bigInt({ min: 1n, max: 10n ** 21n - 1n }).map(String),
  ],
  [
    'decimal texts of one length',
    { ...numberGuarantees, idType: 'string', text: text(/^\d{12}$/, DIGITS, 12, 12) },
    fc.nat().map((value) => String(value).padStart(12, '0')),
  ],
];

const anyOptions: fc.Arbitrary<EncodeOptions> = fc
  .record({
    as: fc.constantFrom('decimal', 'hex', 'base62', 'crockford', undefined),
    check: fc.boolean(),
    wide: fc.boolean(),
    obfuscate: fc.boolean(),
    prefix: fc.constantFrom('ord_', 'O-', '0', '$^'),
  })
  .map(({ as, check, wide, obfuscate, prefix }) => {
    if (as === undefined) return { prefix };
    return { as, check, prefix, ...(wide && { width: 32 }), ...(obfuscate && { obfuscate, key: KEY }) };
  });

/**
 * Everything that is, or nearly is, an id of some type, and everything else that a caller
 * may hand over by mistake.
 */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  ...kinds.map(([, , ids]) => ids),
  fc.anything(),
  fc.double(),
  fc.bigInt(),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFx. +-eOIl\n') }),
  fc.constantFrom(undefined, null, '', [], {}, 0, -0, '0', '007', LAST + 1, LAST + 2, 0n, true, [7], ' 7'),
);

/** Texts that are, or nearly are, what `codec` writes. */
function anyText(codec: Codec, ids: fc.Arbitrary<Id>): fc.Arbitrary<string> {
  const odd = fc.constantFrom(
    '',
    '0',
    '9',
    'f',
    'F',
    'O',
    'l',
    '-',
    'ſ',
    'ı',
    'ß',
    'ﬅ',
    '\u212a',
    '٣',
    ' ',
    '\n',
  );
  return fc.tuple(ids, fc.nat(40), fc.nat(2), odd).map(([id, at, cut, put]) => {
    const written = codec.encode(id);
    return written.slice(0, at) + put + written.slice(at + cut);
  });
}

function resultOf<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

/** As Crockford's base32 is read: the one text that people mean by `text`. */
const meant = (read: string, { as, prefix = '' }: EncodeOptions) => {
  if (as !== 'crockford') return read;
  const body = read.slice(prefix.length).replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return prefix + body.replaceAll('-', '').replaceAll('O', '0').replace(/[IL]/g, '1');
};

describe.each(kinds)('%s', (_, guarantees, ids) => {
  it('are read back from what was written as they were', () => {
    fc.assert(
      fc.property(anyOptions, ids, (options, id) => {
        const codec = createCodec(guarantees, options);
        const written = codec.encode(id);
        expect(codec.decode(written)).toBe(id);
        expect(written).toMatch(codec.guarantees.text.pattern);
      }),
    );
  });

  it('are all that is written: anything else is refused', () => {
    fc.assert(
      fc.property(anyOptions, anything, (options, value) => {
        const codec = createCodec(guarantees, options);
        const written = resultOf(() => codec.encode(value as Id));
        if (written !== undefined) expect(codec.decode(written)).toBe(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('have one text: any other is refused', () => {
    const anyPair = anyOptions.chain((options) => {
      const codec = createCodec(guarantees, options);
      return fc.tuple(fc.constant({ options, codec }), anyText(codec, ids));
    });
    fc.assert(
      fc.property(anyPair, ([{ options, codec }, read]) => {
        const id = resultOf(() => codec.decode(read));
        if (id !== undefined) expect(codec.encode(id)).toBe(meant(read, options));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a prefix before a number', () => {
  const { encode, decode } = createCodec<number>(numberGuarantees, { prefix: 'ord_' });

  it('does not let two texts be one id', () => {
    expect(decode('ord_9007199254740991')).toBe(LAST);
    for (const wrong of ['9007199254740993', '9007199254740992', '007', '1e3'])
      expect(() => decode(`ord_${wrong}`)).toThrow(SyntaxError);
  });

  it('reads only what is an id, whatever the pattern of the strategy admits', () => {
    const loose = { ...numberGuarantees, text: text(/^\d+|undefined$/, DIGITS, 1, 16) };
    const { decode } = createCodec<number>(loose, { prefix: 'ord_' });
    expect(decode('ord_7')).toBe(7);
    for (const wrong of ['007', 'undefined', 'order_7'])
      expect(() => decode(`ord_${wrong}`)).toThrow(SyntaxError);
    expect(() => createCodec<number>(numberGuarantees, { prefix: 'ord_' }).decode('ord_undefined')).toThrow(
      SyntaxError,
    );
  });

  it('writes no number that is longer than the strategy says, whatever its pattern admits', () => {
    const loose = { ...numberGuarantees, idType: 'bigint', text: text(/^\d+$/, DIGITS, 1, 19) } as const;
    const { encode } = createCodec<bigint>(loose, { prefix: 'ord_' });
    expect(encode(10n ** 19n - 1n)).toBe(`ord_${'9'.repeat(19)}`);
    expect(() => encode(10n ** 19n)).toThrow(TypeError);
  });

  it('keeps the flags of the pattern, except those that would make one answer depend on the last', () => {
    const flagged = { ...numberGuarantees, idType: 'string', text: text(/^[a-f]{4}$/gimy, 'abcdef', 4, 4) };
    const { encode } = createCodec<string>(flagged as Guarantees, { prefix: 'ord_' });
    expect([encode('abcd'), encode('ABCD'), encode('abcd')]).toEqual(['ord_abcd', 'ord_ABCD', 'ord_abcd']);
    expect(() => encode('abcd\nabcd')).toThrow(TypeError);
  });

  it.each([[undefined], [null], [''], [[]], [{}], ['7'], [7n], [0], [-1], [1.5], [LAST + 1]])(
    'refuses to write %o',
    (value) => {
      expect(() => encode(value as number)).toThrow(TypeError);
    },
  );
});

describe('digits', () => {
  it.each([[undefined], [null], [''], [[]], [{}], ['7'], [7n], [-0]])(
    'of a number refuse to write %o',
    (value) => {
      const { encode } = createCodec<number>(numberGuarantees, { as: 'base62', prefix: 'ord_' });
      expect(() => encode(value as number)).toThrow(TypeError);
    },
  );

  it('end where the ids of the strategy do', () => {
    const { encode } = createCodec<number>(upTo999, { as: 'hex' });
    expect(encode(999)).toBe('3e7');
    expect(() => encode(1_000)).toThrow(RangeError);
  });

  it('of texts are written of such texts only', () => {
    const codec = createCodec<string>(
      { ...numberGuarantees, idType: 'string', text: text(/^[0-9a-f]{4}$/i, `${DIGITS}abcdef`, 4, 4) },
      { as: 'decimal' },
    );
    expect(codec.decode(codec.encode('00ff'))).toBe('00ff');
    for (const wrong of ['00FF', 'ff', '00ff\n', ' 0ff', '0x0f']) {
      expect(() => codec.encode(wrong)).toThrow(TypeError);
    }
  });

  it.each([
    [`${DIGITS}abcdef`, ['zz11', '11zz', '1z11', '0x11', '11 1']],
    [DIGITS, ['zz11', '11zz', '1z11', 'abcd', '0x11']],
  ])('of texts of %s are written of digits only, whatever the pattern admits', (alphabet, wrong) => {
    const loose = { ...numberGuarantees, idType: 'string', text: text(/^.{4}$/, alphabet, 4, 4) } as const;
    const { encode } = createCodec<string>(loose, { as: 'crockford' });
    expect(encode('0011')).toMatch(/^0+[BH]$/);
    for (const id of wrong) expect(() => encode(id)).toThrow(TypeError);
  });

  it('begin with 0, of a bigint too', () => {
    const big = { ...numberGuarantees, idType: 'bigint', text: text(/^\d{1,19}$/, DIGITS, 1, 19) } as const;
    const { encode, decode } = createCodec<bigint>(big, { as: 'hex' });
    expect([encode(0n), decode('0')]).toEqual(['0', 0n]);
  });

  it('of a number end at 2^53 - 1, even if the strategy says that its ids are longer', () => {
    const long = { ...numberGuarantees, text: { ...numberGuarantees.text, maxLength: 20 } };
    expect(createCodec<number>(long, { as: 'decimal' }).guarantees.text.maxLength).toBe(16);
  });

  it.each([
    ['a prefix of their own', { ...text(/^a[0-9a-f]{4}$/, `${DIGITS}abcdef`, 5, 5), prefix: 'a' }],
    ['hyphens', text(/^[0-9a-f]{4}-[0-9a-f]{4}$/, `-${DIGITS}abcdef`, 9, 9)],
  ])('are not those of hex texts with %s, which are no numbers', (_, own) => {
    expect(() => createCodec({ ...numberGuarantees, idType: 'string', text: own }, { as: 'base62' })).toThrow(
      '"as"',
    );
  });

  it.each(['ſ', 'ı', 'ß', 'ﬅ', '\u212a', '０'])('of Crockford are not read from %s', (letter) => {
    const { decode } = createCodec<number>(numberGuarantees, { as: 'crockford' });
    expect(() => decode(`1${letter}`)).toThrow(SyntaxError);
  });
});
