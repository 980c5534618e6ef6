import { assert as hold, integer, property, uuid } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptFormer, createCodec, type EncodeOptions } from '../src/index.js';
import { parseTypeid } from '../src/typeid.js';
import { KEY, numberGuarantees, uuids } from './support/subject.js';

const OTHER_KEY = '000102030405060708090a0b0c0d0e0f';
const UUID = '018f22e2-79b0-7cc3-98c4-dc0c0c07398f';

const codec = (options: EncodeOptions = {}) =>
  createCodec<string>(uuids, { obfuscate: true, key: KEY, ...options });

/** How many of 122 bits differ. */
function distance(one: string, other: string): number {
  const bits = BigInt(`0x${one.replaceAll('-', '')}`) ^ BigInt(`0x${other.replaceAll('-', '')}`);
  return bits.toString(2).replaceAll('0', '').length;
}

describe('obfuscated UUIDs', () => {
  it('are written with FF1 of AES, for ever in the same way', () => {
    expect(codec().encode(UUID)).toBe('4324bbdb-8094-4e07-85b4-34541e269538');
    expect(codec({ form: 'typeid', prefix: 'order' }).encode(UUID)).toBe('order_3yx1scf1qz8w99w4xwn4vk4e45');
  });

  it.each<EncodeOptions>([{}, { version: 8 }, { prefix: 'o-' }, { form: 'typeid', prefix: 'order' }])(
    'with %j are read back, and are of their pattern',
    (options) => {
      const { encode, decode, guarantees } = codec(options);
      hold(
        property(uuid({ version: 7 }), (id) => {
          expect(encode(id)).toMatch(guarantees.text.pattern);
          expect(encode(id)).toHaveLength(guarantees.text.maxLength);
          expect(decode(encode(id))).toBe(id);
        }),
        { numRuns: 30 },
      );
    },
  );

  it('are all UUIDs of their version: each is read as one of version 7, and written as it was', () => {
    const { encode, decode } = codec();
    hold(
      property(uuid({ version: 4 }), (text) => {
        expect(encode(decode(text))).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('promise no order, and disclose nothing', () => {
    expect(codec().guarantees).toMatchObject({
      order: { process: 'none', cluster: 'none' },
      discloses: [],
      text: { sortable: false, minLength: 36, maxLength: 36, alphabet: '-0123456789abcdef' },
    });
    expect(codec({ form: 'typeid', prefix: 'order' }).guarantees.text.sortable).toBe(false);
  });

  it('of neighbours have about half of their bits in common, in each part of them', () => {
    const { encode } = codec();
    hold(
      property(integer({ min: 0, max: 0xffff }), (low) => {
        const next = (last: number) => UUID.slice(0, -4) + last.toString(16).padStart(4, '0');
        // 61 on average; below 20, once in 10^13 runs.
        expect(distance(encode(next(low)), encode(next((low + 1) & 0xffff)))).toBeGreaterThan(20);
      }),
      { numRuns: 30 },
    );
  });

  it('differ by the key and by the prefix', () => {
    const texts = [codec(), codec({ key: OTHER_KEY }), codec({ prefix: 'a' }), codec({ prefix: 'b' })].map(
      ({ encode }) => encode(UUID).slice(-36),
    );
    expect(new Set(texts).size).toBe(4);
    const typeids = ['order', 'user'].map((prefix) => codec({ form: 'typeid', prefix }).encode(UUID));
    expect(new Set(typeids.map((text) => parseTypeid(text).uuid)).size).toBe(2);
  });

  it('refuse what they are not', () => {
    const { encode, decode } = codec();
    for (const wrong of [
      UUID,
      UUID.replace('-7', '-8'),
      encode(UUID).toUpperCase(),
      '',
      `${encode(UUID)} `,
    ]) {
      expect(() => decode(wrong)).toThrow(SyntaxError);
    }
    for (const wrong of [encode(UUID), UUID.toUpperCase(), UUID.replace('-9', '-c'), 7]) {
      expect(() => encode(wrong as string)).toThrow(TypeError);
    }
  });
});

describe('acceptFormer', () => {
  it('reads what was written with the key before, and writes with the new one', () => {
    const [before, now] = [codec(), codec({ key: OTHER_KEY, version: 8 })];
    const { encode, decode, guarantees } = acceptFormer(now, before);
    expect(encode(UUID)).toBe(now.encode(UUID));
    expect([now, before].map((one) => decode(one.encode(UUID)))).toEqual([UUID, UUID]);
    expect(guarantees).toBe(now.guarantees);
    expect(() => decode(UUID)).toThrow(/\b8\b/);
    expect(() => decode(7 as never)).toThrow(TypeError);
  });

  it('does so for numbers and TypeIDs by their prefix', () => {
    const digits = (prefix: string, key: string) =>
      createCodec<number>(numberGuarantees, { as: 'crockford', obfuscate: true, prefix, key });
    const [before, now] = [digits('ord_', KEY), digits('o2_', OTHER_KEY)];
    expect(acceptFormer(now, before).decode(before.encode(48_001))).toBe(48_001);
    const typeids = ['order', 'purchase'].map((prefix, at) =>
      codec({ form: 'typeid', prefix, key: at === 0 ? KEY : OTHER_KEY }),
    ) as [ReturnType<typeof codec>, ReturnType<typeof codec>];
    expect(acceptFormer(typeids[1], typeids[0]).decode(typeids[0].encode(UUID))).toBe(UUID);
  });

  it('does so for numbers by their length', () => {
    const digits = (width: number, check = false) =>
      createCodec<number>(numberGuarantees, { as: 'hex', width, check });
    expect(acceptFormer(digits(5), digits(4)).decode(digits(4).encode(0xffff))).toBe(0xffff);
    expect(() => acceptFormer(digits(5), digits(4, true))).toThrow();
  });

  it('refuses codecs whose texts can be equal', () => {
    for (const [now, before] of [
      [codec(), codec({ key: OTHER_KEY })],
      [codec({ prefix: 'o' }), codec({ prefix: 'or', key: OTHER_KEY })],
      [
        codec({ form: 'typeid', prefix: 'order' }),
        codec({ form: 'typeid', prefix: 'order', key: OTHER_KEY }),
      ],
    ] as const) {
      expect(() => acceptFormer(now, before)).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
    }
  });
});
