import { type Guarantees, isUuid } from '@ids/core';
import { assert as hold, property, uuid } from 'fast-check';
import { decodeTime, ulidToUUID, uuidToULID } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createCodec, type EncodeOptions } from '../src/index.js';
import { numberGuarantees } from './support/subject.js';
import { INVALID, MAX, NIL, VALID } from './support/typeid-vectors.js';

const anyUuids: Guarantees = {
  ...numberGuarantees,
  idType: 'string',
  text: {
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    alphabet: '-0123456789abcdef',
    minLength: 36,
    maxLength: 36,
    sortable: true,
  },
};
const version7: Guarantees = {
  ...anyUuids,
  text: {
    ...anyUuids.text,
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  },
};

const codec = (options: EncodeOptions, guarantees = anyUuids) => createCodec<string>(guarantees, options);

/** As a reader of TypeIDs of any type reads one: what comes before the last underscore is its prefix. */
function readTypeid(text: string): string {
  const at = text.lastIndexOf('_');
  const prefix = at < 0 ? {} : { prefix: text.slice(0, at) };
  return codec({ form: 'typeid', ...prefix }).decode(text);
}

describe('TypeIDs', () => {
  it.each(VALID)('%s: %s is written and read as its specification says', (_, text, prefix, id) => {
    expect(codec({ form: 'typeid', prefix }).encode(id)).toBe(text);
    expect(readTypeid(text)).toBe(id);
  });

  it.each(INVALID)('%s: %s is refused', (_, text, why) => {
    expect(() => readTypeid(text)).toThrow(why === 'type' ? 'option "prefix": ' : why);
  });

  it('of another type are not read', () => {
    const { decode } = codec({ form: 'typeid', prefix: 'order' });
    expect(decode('order_01h455vb4pex5vsknk084sn02q')).toBe('01890a5d-ac96-774b-bcce-b302099a8057');
    for (const other of ['user_', 'orders_', 'order', 'ord_er_', '_', '']) {
      expect(() => decode(`${other}01h455vb4pex5vsknk084sn02q`)).toThrow(SyntaxError);
    }
  });

  it('have a type of 1 to 63 characters', () => {
    for (const prefix of ['a', 'a_b', 'a__b', 'ab'.repeat(31), `${'ab'.repeat(31)}c`]) {
      expect(codec({ form: 'typeid', prefix }).encode(NIL)).toBe(`${prefix}_${'0'.repeat(26)}`);
    }
  });
});

describe('ULIDs', () => {
  it.each([
    // The example of https://github.com/ulid/spec, and the ends of the range.
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '01563e3a-b5d3-d676-4c61-efb99302bd5b'],
    ['00000000000000000000000000', NIL],
    ['7ZZZZZZZZZZZZZZZZZZZZZZZZZ', MAX],
  ])('%s is written and read', (text, id) => {
    const { encode, decode } = codec({ form: 'ulid' });
    expect(encode(id)).toBe(text);
    expect(decode(text)).toBe(id);
    expect(decode(text.toLowerCase())).toBe(id);
  });

  it('are those of the package ulid, whatever their bits, and have the time of a UUID of version 7', () => {
    const { encode, decode } = codec({ form: 'ulid' });
    hold(
      property(uuid(), (id) => {
        const text = encode(id);
        expect(text).toBe(uuidToULID(id));
        expect(ulidToUUID(text).toLowerCase()).toBe(id);
        expect(decode(text)).toBe(id);
        expect(codec({ form: 'typeid', prefix: 'x' }).encode(id)).toBe(`x_${text.toLowerCase()}`);
      }),
    );
    expect(decodeTime(encode('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'))).toBe(0x017f_22e2_79b0);
  });

  it.each([
    ['8ZZZZZZZZZZZZZZZZZZZZZZZZZ', 'more than 128 bits: its first digit must be 0 to 7'],
    ['80000000000000000000000000', 'more than 128 bits'],
    ['ZZZZZZZZZZZZZZZZZZZZZZZZZZ', 'more than 128 bits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FA', 'must be 26 digits of base32, without i, l, o and u'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAVV', '26 digits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAI', '26 digits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAL', '26 digits'],
    ['O1ARZ3NDEKTSV4RRFFQ69G5FAV', '26 digits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAU', '26 digits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5F-V', '26 digits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAſ', '26 digits'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FA\n', '26 digits'],
    ['', '26 digits'],
  ])('%j is refused', (text, why) => {
    const { decode } = codec({ form: 'ulid' });
    expect(() => decode(text)).toThrow(SyntaxError);
    expect(() => decode(text)).toThrow(why);
  });

  it('may have a prefix, as other forms', () => {
    const { encode, decode, guarantees } = codec({ form: 'ulid', prefix: 'ord-' });
    expect(encode(NIL)).toBe(`ord-${'0'.repeat(26)}`);
    expect(decode(encode(MAX))).toBe(MAX);
    expect(guarantees.text).toMatchObject({ prefix: 'ord-', minLength: 30, maxLength: 30 });
  });
});

describe('the form of a UUID', () => {
  it('says what its strings are', () => {
    const typeid = codec({ form: 'typeid', prefix: 'order' }, version7).guarantees;
    expect(typeid).toMatchObject({ unique: version7.unique, order: version7.order, idType: 'string' });
    expect(typeid.text).toEqual({
      pattern: /^order_(?:[0-7][0-9a-hjkmnp-tv-z]{25})$/,
      prefix: 'order_',
      alphabet: '0123456789abcdefghjkmnpqrstvwxyz',
      minLength: 32,
      maxLength: 32,
      sortable: true,
      caseSensitive: false,
    });
    expect(codec({ form: 'ulid' }, version7).guarantees.text).toEqual({
      pattern: /^(?:[0-7][0-9A-HJKMNP-TV-Z]{25})$/,
      alphabet: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
      minLength: 26,
      maxLength: 26,
      sortable: true,
      caseSensitive: false,
    });
    const unsorted = { ...anyUuids, text: { ...anyUuids.text, sortable: false } };
    expect(codec({ form: 'ulid' }, unsorted).guarantees.text.sortable).toBe(false);
  });

  it.each([{ form: 'typeid', prefix: 'x' }, { form: 'ulid' }] as const)(
    '%j sorts as the UUIDs',
    (options) => {
      const { encode } = codec(options);
      hold(
        property(uuid(), uuid(), (a, b) => {
          expect(encode(a) < encode(b)).toBe(a < b);
          expect(encode(a)).toMatch(codec(options).guarantees.text.pattern);
        }),
      );
    },
  );

  it('is read only if the strategy could have issued it', () => {
    for (const options of [{ form: 'typeid' }, { form: 'ulid' }] as const) {
      const { encode, decode } = codec(options, version7);
      const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
      expect(decode(encode(id))).toBe(id);
      expect(() => decode('0'.repeat(26))).toThrow(SyntaxError);
      expect(() => decode('0'.repeat(26))).toThrow(`is not an id of this strategy: it is ${NIL}`);
      for (const wrong of [NIL, id.toUpperCase(), id.replaceAll('-', ''), [id], 7, undefined]) {
        expect(() => encode(wrong as string)).toThrow(TypeError);
        expect(() => encode(wrong as string)).toThrow('only ids of this strategy can be encoded, got ');
      }
    }
  });

  it.each([
    [{ form: 'uuid' }, 'encode: option "form": must be one of "typeid", "ulid", got "uuid"'],
    [{ form: 'ulid', as: 'hex' }, 'encode: "form": "ulid" allows only "prefix": remove "as"'],
    [
      { form: 'typeid', width: 26, check: true },
      'encode: "form": "typeid" allows only "prefix", "obfuscate" and "key": remove "width"\nencode: "form": "typeid" allows only "prefix", "obfuscate" and "key": remove "check"',
    ],
    [
      { form: 'ulid', obfuscate: true, key: '0'.repeat(32) },
      'encode: "form": "ulid" allows only "prefix": remove "obfuscate"\nencode: "form": "ulid" allows only "prefix": remove "key"',
    ],
    [
      { form: 'typeid', prefix: 'Order' },
      'encode: option "prefix": must be 1 to 63 characters of a-z and _, with a letter at both ends, for "form": "typeid", got "Order"',
    ],
    [
      { form: 'ulid', prefix: 'x'.repeat(33) },
      `encode: option "prefix": must be 1 to 32 printable ASCII characters without white space, got "${'x'.repeat(33)}"`,
    ],
  ])('%j is refused', (options, message) => {
    expect(() => codec(options as EncodeOptions)).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message }),
    );
  });

  it('is refused for ids that are no UUIDs', () => {
    const texts: Partial<Guarantees['text']>[] = [
      { minLength: 35 },
      { maxLength: 37 },
      { alphabet: '0123456789abcdef' },
      { alphabet: '-0123456789ABCDEF' },
      { prefix: 'x' },
    ];
    for (const text of texts) {
      const guarantees = { ...anyUuids, text: { ...anyUuids.text, ...text } };
      expect(isUuid(guarantees.text)).toBe(false);
      expect(() => codec({ form: 'ulid' }, guarantees)).toThrow(
        expect.objectContaining({
          code: 'ERR_IDS_CONFIG',
          message: 'encode: option "form": "ulid" needs UUIDs, which this strategy does not issue',
        }),
      );
    }
    expect(() => createCodec(numberGuarantees, { form: 'typeid' })).toThrow('needs UUIDs');
    const { alphabet: _, ...withoutAlphabet } = anyUuids.text;
    expect(isUuid(withoutAlphabet)).toBe(false);
  });
});
