import fc from 'fast-check';
import { parse, stringify, v1, v4, v6, v7, validate, version } from 'uuid';
import { UUID, uuidv7 } from 'uuidv7';
import { describe, expect, it } from 'vitest';
import {
  createUuid7Generator,
  inspectUuid7,
  isUuid7,
  parseUuid7,
  uuid7FromBytes,
  uuid7ToBytes,
} from '../src/index.js';

/** Any UUID of version 7; often of times and counters at the ends of their ranges. */
const anyUuid7 = fc
  .tuple(
    fc.oneof(fc.nat(2 ** 48 - 1), fc.constantFrom(0, 1, 2 ** 32, 2 ** 48 - 1)),
    fc.uint8Array({ minLength: 10, maxLength: 10 }),
  )
  .map(([ms, rest]) => {
    const hex = ms.toString(16).padStart(12, '0') + Buffer.from(rest).toString('hex');
    const variant = ((rest[2] ?? 0) & 0x3f) | 0x80;
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `7${hex.slice(13, 16)}`,
      `${variant.toString(16)}${hex.slice(18, 20)}`,
      hex.slice(20),
    ].join('-');
  });

describe('parseUuid7', () => {
  it('reads the example of RFC 9562, appendix A.6', () => {
    // unix_ts_ms 0x017F22E279B0, rand_a 0xCC3, rand_b 0b01, 0x8C4DC0C0C07398F.
    expect(parseUuid7('017F22E2-79B0-7CC3-98C4-DC0C0C07398F')).toEqual({
      uuid: '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
      ms: 0x017f_22e2_79b0,
      date: new Date('2022-02-22T19:22:22.000Z'),
      counter: 0xcc3 * 2 ** 30 + 0x18c4_dc0c,
      random: 0x0c07_398f,
    });
  });

  it('reads each part, at both ends of its range', () => {
    const lowest = parseUuid7('00000000-0000-7000-8000-000000000000');
    expect(lowest).toMatchObject({ ms: 0, counter: 0, random: 0 });
    const highest = parseUuid7('ffffffff-ffff-7fff-bfff-ffffffffffff');
    expect(highest).toMatchObject({ ms: 2 ** 48 - 1, counter: 2 ** 42 - 1, random: 2 ** 32 - 1 });
    expect(highest.date).toEqual(new Date(2 ** 48 - 1));
  });

  it('reads what this package, uuid and uuidv7 make', () => {
    const before = Date.now();
    const made = [createUuid7Generator().nextSync(), v7(), uuidv7()];
    for (const id of made) {
      const { ms, uuid, date } = parseUuid7(id);
      expect(ms >= before && ms <= Date.now()).toBe(true);
      expect([uuid, date.getTime()]).toEqual([id, ms]);
    }
  });

  it('gives bytes and text back as they were, in lower case, as uuid does', () => {
    fc.assert(
      fc.property(anyUuid7, (id) => {
        const bytes = uuid7ToBytes(id);
        expect([...bytes]).toEqual([...parse(id)]);
        expect([uuid7FromBytes(bytes), stringify(bytes)]).toEqual([id, id]);
        for (const form of [id, id.toUpperCase(), bytes, Buffer.from(bytes)]) {
          expect(parseUuid7(form).uuid).toBe(id);
          expect(isUuid7(form)).toBe(true);
        }
        expect(parseUuid7(bytes)).toEqual(parseUuid7(id));
        expect(UUID.parse(id).toString()).toBe(id);
      }),
    );
  });

  const valid = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
  it.each([
    [v4(), RangeError, /^must be a UUID of version 7, got "/],
    [v1(), RangeError, /version 7/],
    [v6(), RangeError, /version 7/],
    ['00000000-0000-0000-0000-000000000000', RangeError, /version 7/],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', RangeError, /version 7/],
    [valid.replace('-98', '-78'), RangeError, /^must be a UUID of variant 8, 9, a or b, got "/],
    [valid.replace('-98', '-c8'), RangeError, /variant/],
    [valid.replaceAll('-', ''), RangeError, /^must be a UUID: hex digits in groups of 8-4-4-4-12, got "/],
    [`{${valid}}`, RangeError, /groups of 8-4-4-4-12/],
    [`urn:uuid:${valid}`, RangeError, /groups/],
    [` ${valid}`, RangeError, /groups/],
    [`${valid}\n`, RangeError, /groups/],
    [valid.slice(0, -1), RangeError, /groups/],
    [`${valid}0`, RangeError, /groups/],
    [valid.replace('f', 'g'), RangeError, /groups/],
    [valid.replace('0', '０'), RangeError, /groups/],
    ['', RangeError, /groups/],
    [new Uint8Array(15), RangeError, /^must be the 16 bytes of a UUID, got 15$/],
    [new Uint8Array(17), RangeError, /got 17$/],
    [new Uint8Array(16), RangeError, /version 7, got "00000000-0000-0000-0000-000000000000"/],
    [7, TypeError, /^must be a UUID as a string or bytes, got 7$/],
    [null, TypeError, /got null$/],
    [undefined, TypeError, /got undefined$/],
    [[...new Uint8Array(16)], TypeError, /got an array$/],
    [new Uint16Array(16), TypeError, /got an object$/],
  ])('refuses %s, saying what is wrong', (input, type, message) => {
    expect(() => parseUuid7(input as string)).toThrow(type);
    expect(() => parseUuid7(input as string)).toThrow(message);
    expect(isUuid7(input)).toBe(false);
    expect(inspectUuid7(input as string)).toBeUndefined();
  });

  it('takes no text where it needs bytes, and no bytes where it needs text', () => {
    expect(() => uuid7FromBytes(valid as never)).toThrow(TypeError);
    expect(() => uuid7FromBytes(valid as never)).toThrow(/^must be a UUID as a Uint8Array, got "/);
    expect(() => uuid7FromBytes(new Uint8Array(15))).toThrow(/^must be the 16 bytes of a UUID, got 15$/);
    expect(() => uuid7ToBytes(new Uint8Array(16) as never)).toThrow(TypeError);
    expect(() => uuid7ToBytes(new Uint8Array(16) as never)).toThrow(/^must be a UUID as a string, got /);
    expect(() => uuid7ToBytes(v4())).toThrow(/version 7/);
  });

  it('agrees with uuid about what is a UUID of version 7', () => {
    const digit = fc.constantFrom(...'0123456789abcdefABCDEF-g');
    const nearly = fc
      .tuple(anyUuid7, fc.nat(35), digit)
      .map(([id, at, put]) => id.slice(0, at) + put + id.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(anyUuid7, nearly, fc.uuid()), (text) => {
        expect(isUuid7(text)).toBe(validate(text) && version(text) === 7);
      }),
    );
  });
});

describe('ids inspect', () => {
  it('shows time, counter and random bits', () => {
    expect(inspectUuid7('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')).toEqual([
      { name: 'time', value: '2022-02-22T19:22:22.000Z' },
      { name: 'counter', value: String(0xcc3 * 2 ** 30 + 0x18c4_dc0c), note: expect.any(String) },
      { name: 'random', value: '0c07398f' },
    ]);
  });

  it('knows none of what no generator issues: upper case, or bytes', () => {
    expect(inspectUuid7('017F22E2-79B0-7CC3-98C4-DC0C0C07398F')).toBeUndefined();
    expect(inspectUuid7(uuid7ToBytes('017f22e2-79b0-7cc3-98c4-dc0c0c07398f') as never)).toBeUndefined();
  });
});
