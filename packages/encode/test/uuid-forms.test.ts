import { type Guarantees, isUuid } from '@ids/core';
import { assert as hold, property, uuid } from 'fast-check';
import { decodeTime, ulidToUUID, uuidToULID } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createCodec, type EncodeOptions } from '../src/index.js';
import { numberGuarantees, uuids } from './support/subject.js';
import { INVALID, MAX, NIL, VALID } from './support/typeid-vectors.js';

const anyUuids: Guarantees = {
  ...uuids,
  text: { ...uuids.text, pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/ },
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

  it.each(INVALID)('%s: %s is refused', (_, text, wrong) => {
    expect(() => readTypeid(text)).toThrow(text.startsWith(`${wrong}_`) ? '"prefix"' : `"${wrong}"`);
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
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    '80000000000000000000000000',
    'ZZZZZZZZZZZZZZZZZZZZZZZZZZ',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAVV',
    '01ARZ3NDEKTSV4RRFFQ69G5FAI',
    '01ARZ3NDEKTSV4RRFFQ69G5FAL',
    'O1ARZ3NDEKTSV4RRFFQ69G5FAV',
    '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    '01ARZ3NDEKTSV4RRFFQ69G5F-V',
    '01ARZ3NDEKTSV4RRFFQ69G5FAſ',
    '01ARZ3NDEKTSV4RRFFQ69G5FA\n',
    '',
  ])('%j is refused', (text) => {
    expect(() => codec({ form: 'ulid' }).decode(text)).toThrow(SyntaxError);
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
    const typeid = codec({ form: 'typeid', prefix: 'order' }, uuids).guarantees;
    expect(typeid).toMatchObject({ unique: uuids.unique, order: uuids.order, idType: 'string' });
    expect(typeid.text).toEqual({
      pattern: /^order_(?:[0-7][0-9a-hjkmnp-tv-z]{25})$/,
      prefix: 'order_',
      alphabet: '0123456789abcdefghjkmnpqrstvwxyz',
      minLength: 32,
      maxLength: 32,
      sortable: true,
      caseSensitive: false,
    });
    expect(codec({ form: 'ulid' }, uuids).guarantees.text).toEqual({
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
      const { encode, decode } = codec(options, uuids);
      const id = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
      expect(decode(encode(id))).toBe(id);
      expect(() => decode('0'.repeat(26))).toThrow(SyntaxError);
      expect(() => decode('0'.repeat(26))).toThrow(NIL);
      for (const wrong of [NIL, id.toUpperCase(), id.replaceAll('-', ''), [id], 7, undefined]) {
        expect(() => encode(wrong as string)).toThrow(TypeError);
      }
    }
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
        expect.objectContaining({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('"form"') }),
      );
    }
    expect(() => createCodec(numberGuarantees, { form: 'typeid' })).toThrow('"form"');
    const { alphabet: _, ...withoutAlphabet } = anyUuids.text;
    expect(isUuid(withoutAlphabet)).toBe(false);
  });
});
