import { assert as hold, property, uuid } from 'fast-check';
import { decodeTime, ulidToUUID, uuidToULID } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createUlidCodec, parseUlid } from '../src/ulid.js';

describe('createUlidCodec', () => {
  it('writes and reads ULIDs as the package ulid does', () => {
    const { encode, decode } = createUlidCodec();
    hold(
      property(uuid(), (id) => {
        const text = encode(id);
        expect(text).toBe(uuidToULID(id));
        expect(decode(text)).toBe(id);
        expect(decode(text.toLowerCase())).toBe(ulidToUUID(text).toLowerCase());
      }),
    );
  });

  it('writes UUIDs in lower case only, so that they are read back as they were', () => {
    for (const wrong of ['01563E3A-B5D3-D676-4C61-EFB99302BD5B', '', 7]) {
      expect(() => createUlidCodec().encode(wrong as string)).toThrow(TypeError);
    }
  });
});

describe('parseUlid', () => {
  it('returns time and randomness, whatever the case', () => {
    // The example of https://github.com/ulid/spec.
    const parsed = {
      ulid: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      uuid: '01563e3a-b5d3-d676-4c61-efb99302bd5b',
      ms: 1_469_922_850_259,
      date: new Date('2016-07-30T23:54:10.259Z'),
      random: '01ARZ3NDEKTSV4RRFFQ69G5FAV'.slice(-16),
    };
    expect(parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toEqual(parsed);
    expect(parseUlid('01arz3ndektsv4rrffq69g5fav')).toEqual(parsed);
    expect(decodeTime('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(parsed.ms);
    expect(parseUlid('7ZZZZZZZZZZZZZZZZZZZZZZZZZ').ms).toBe(2 ** 48 - 1);
  });

  it.each([
    '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAſ',
    'O1ARZ3NDEKTSV4RRFFQ69G5FAV',
    '',
  ])('refuses %j', (text) => {
    expect(() => parseUlid(text)).toThrow(SyntaxError);
  });

  it('refuses what is no string', () => {
    expect(() => parseUlid(7 as unknown as string)).toThrow(TypeError);
  });
});
