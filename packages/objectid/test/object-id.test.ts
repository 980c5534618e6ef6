import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { ObjectId as BsonObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ObjectId } from '../src/bson/index.js';
import { createObjectIdGenerator } from '../src/index.js';
import { anyHex, anyInput } from './support/any-id.js';
import { counterOf, firstNotRising } from './support/issuer-at.js';

const HEX = '5a17b9d9ab102555b9c38874';

describe('new ObjectId()', () => {
  it('issues from the counter of the generators: ids by turns rise and leave none out', () => {
    const generator = createObjectIdGenerator();
    const ids = Array.from({ length: 10_000 }, (_, index) =>
      index % 2 === 0 ? generator.nextSync() : new ObjectId().toHexString(),
    );
    expect(firstNotRising(ids)).toBe(-1);
    const first = counterOf(ids[0] ?? '');
    expect(ids.map(counterOf)).toEqual(ids.map((_, index) => (first + index) % 2 ** 24));
    expect(new Set(ids.map((id) => id.slice(8, 18))).size).toBe(1);
  });

  it('is dated now', () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    const time = new ObjectId().getTime();
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  it('takes seconds, of which the fraction goes', () => {
    const [id, next] = [new ObjectId(1_511_504_345), new ObjectId(1_511_504_345.9)];
    expect(id.getTimestamp()).toEqual(new Date('2017-11-24T06:19:05Z'));
    expect(id.toHexString().slice(0, 18)).toBe(next.toHexString().slice(0, 18));
    expect(id.equals(next)).toBe(false);
    expect(Buffer.from(ObjectId.generate(0xffff_ffff)).toString('hex')).toMatch(/^ffffffff/);
    expect(
      firstNotRising(
        [ObjectId.generate(), ObjectId.generate()].map((bytes) => Buffer.from(bytes).toString('hex')),
      ),
    ).toBe(-1);
  });
});

describe('an ObjectId', () => {
  it('has the results of the one in bson for every id, by every way in', () => {
    fc.assert(
      fc.property(anyHex, anyHex, (hex, otherHex) => {
        const theirs = new BsonObjectId(hex);
        const base64 = theirs.toString('base64');
        const view = new DataView(Uint8Array.from([0, ...theirs.id, 0]).buffer, 1, 12);
        const all = [
          new ObjectId(hex),
          new ObjectId(hex.toUpperCase()),
          new ObjectId(theirs),
          new ObjectId(theirs.id),
          new ObjectId(Uint8Array.from(theirs.id)),
          new ObjectId(view as unknown as Uint8Array),
          new ObjectId({ id: theirs.id } as unknown as Uint8Array),
          new ObjectId({ id: hex } as unknown as string),
          new ObjectId(new ObjectId(hex)),
          ObjectId.createFromHexString(hex),
          ObjectId.createFromBase64(base64),
        ];
        for (const ours of all) {
          expect(ours.toHexString()).toBe(hex);
          expect([`${ours}`, ours.toString('hex'), JSON.parse(JSON.stringify(ours))]).toEqual([
            hex,
            hex,
            hex,
          ]);
          expect(ours.toString('base64')).toBe(base64);
          expect(ours.id).toEqual(theirs.id);
          expect(ours.getTimestamp()).toEqual(theirs.getTimestamp());
          expect(ours.getTime()).toBe(theirs.getTimestamp().getTime());
          expect(inspect(ours)).toBe(inspect(theirs));
          expect(ours).toEqual(all[0]);
          for (const same of [hex, hex.toUpperCase(), theirs, all[0]]) expect(ours.equals(same)).toBe(true);
          expect(ours.equals(otherHex)).toBe(theirs.equals(otherHex));
          expect(ours.equals(new ObjectId(otherHex))).toBe(theirs.equals(otherHex));
        }
      }),
    );
  });

  it('is what bson can read, compare and copy', () => {
    fc.assert(
      fc.property(anyHex, (hex) => {
        const ours = new ObjectId(hex);
        expect(new BsonObjectId(ours).toHexString()).toBe(hex);
        expect(new BsonObjectId(hex).equals(ours)).toBe(true);
        expect(BsonObjectId.isValid(ours)).toBe(true);
      }),
    );
  });

  it('is recognised by its shape, whichever copy or major of a package made it', () => {
    class OldObjectId {
      readonly _bsontype = 'ObjectID';
      readonly id = Buffer.from(HEX, 'hex').toString('latin1');
      toHexString = () => HEX.toUpperCase();
    }
    expect(new ObjectId(new OldObjectId()).toHexString()).toBe(HEX);
    expect(new ObjectId(HEX).equals(new OldObjectId())).toBe(true);
    expect(ObjectId.isValid(new OldObjectId())).toBe(true);
    expect(Object.keys(new ObjectId(HEX))).not.toContain('_bsontype');
    expect('_bsontype' in ObjectId.prototype).toBe(false);
  });

  it.each([
    [0, '000000000000000000000000'],
    [0x7fff_ffff, '7fffffff0000000000000000'],
    [0x8000_0000, '800000000000000000000000'],
    [0xffff_ffff, 'ffffffff0000000000000000'],
    [1.9, '000000010000000000000000'],
  ])('of the time %d is %s', (seconds, hex) => {
    expect(ObjectId.createFromTime(seconds).toHexString()).toBe(hex);
    expect(ObjectId.createFromTime(seconds).getTime()).toBe(Math.floor(seconds) * 1_000);
    expect(BsonObjectId.createFromTime(seconds).toHexString()).toBe(hex);
  });

  it('sorts as its bytes and its digits do', () => {
    fc.assert(
      fc.property(anyHex, anyHex, (a, b) => {
        const order = ObjectId.compare(new ObjectId(a), new ObjectId(b));
        expect(order).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(order).toBe(Buffer.compare(new BsonObjectId(a).id, new BsonObjectId(b).id));
      }),
    );
  });

  it('differs from one that has a single other digit, wherever that is', () => {
    fc.assert(
      fc.property(anyHex, fc.nat(23), (hex, at) => {
        const digit = ((Number.parseInt(hex.charAt(at), 16) + 1) % 16).toString(16);
        const other = hex.slice(0, at) + digit + hex.slice(at + 1);
        const id = new ObjectId(hex);
        for (const different of [other, new ObjectId(other), new BsonObjectId(other)]) {
          expect(id.equals(different)).toBe(false);
        }
        expect(ObjectId.compare(id, new ObjectId(other))).toBe(hex < other ? -1 : 1);
      }),
    );
  });

  it('is no object that has a part of it only', () => {
    const id = new ObjectId(HEX);
    const { word0, word3 } = id as unknown as Record<string, number>;
    for (const part of [{ word0 }, { word3 }, { word3, toHexString: () => HEX.replace('5', '6') }]) {
      expect(id.equals(part as unknown as ObjectId)).toBe(false);
    }
  });

  it('has bytes where there is no Buffer', () => {
    const id = new ObjectId(HEX);
    vi.stubGlobal('Buffer', undefined);
    const bytes = id.id;
    vi.unstubAllGlobals();
    expect(bytes).toEqual(Uint8Array.from(Buffer.from(HEX, 'hex')));
  });

  it('shows itself as code that makes it', () => {
    expect(new ObjectId(HEX).inspect()).toBe(`new ObjectId('${HEX}')`);
  });

  it('hands out bytes that nobody else has', () => {
    const id = new ObjectId(HEX);
    id.id.fill(0);
    expect(id.toHexString()).toBe(HEX);
    expect(id.id.buffer.byteLength).toBe(12);
    expect(Buffer.isBuffer(id.id)).toBe(true);
  });
});

/** Members of the class in `bson` that this one leaves out on purpose, as docs/objectid.md lists them. */
const LEFT_OUT = [
  '_bsontype',
  'cacheHexString',
  'fromExtendedJSON',
  'getInc',
  'index',
  'is',
  'isCached',
  'PROCESS_UNIQUE',
  'resetState',
  'setFromBytes',
  'setFromHex',
  'toExtendedJSON',
  'validateHexString',
];

describe('in the place of the one in bson, an ObjectId', () => {
  it('has all members that docs/objectid.md does not list as left out', async () => {
    const page = await readFile(new URL('../../../docs/objectid.md', import.meta.url), 'utf8');
    const members = (Class: object, prototype: object) =>
      [Class, prototype].flatMap((owner) => Object.getOwnPropertyNames(owner));
    const ours = members(ObjectId, ObjectId.prototype);
    const missing = members(BsonObjectId, BsonObjectId.prototype).filter((name) => !ours.includes(name));
    expect(missing.sort()).toEqual([...LEFT_OUT].sort());
    for (const name of missing) expect(page).toContain(`\`${name}\``);
  });

  it('makes primary keys, and writes itself into bytes', () => {
    const [id, next] = [ObjectId.createPk(), ObjectId.createPk()];
    expect(ObjectId.compare(id, next)).toBe(-1);
    const [bytes, theirs] = [new Uint8Array(16), new Uint8Array(16)];
    expect(id.serializeInto(bytes, 3)).toBe(12);
    // Not in the types of bson, whose serializer calls it.
    (new BsonObjectId(id.toHexString()) as unknown as ObjectId).serializeInto(theirs, 3);
    expect(bytes).toEqual(theirs);
    for (const index of [5, -1, 0.5, Number.NaN]) {
      expect(() => id.serializeInto(bytes, index), String(index)).toThrow(RangeError);
    }
  });

  it('is made of more, and of less, as docs/objectid.md says', () => {
    const like = { toHexString: () => HEX };
    expect(() => new BsonObjectId(like as unknown as string)).toThrow();
    expect(new ObjectId(like).toHexString()).toBe(HEX);
    expect(() => new BsonObjectId(1 as unknown as string)).toThrow();
    expect(new ObjectId(1).getTime()).toBe(1_000);
    expect(new BsonObjectId(null as unknown as string).toHexString()).toHaveLength(24);
    expect(() => new ObjectId(null as unknown as string)).toThrow(TypeError);
    const longer = Uint8Array.from([0, ...Buffer.from(HEX, 'hex')]);
    expect(
      new (BsonObjectId as unknown as new (bytes: Uint8Array, offset: number) => BsonObjectId)(longer, 1),
    ).toEqual(new BsonObjectId(HEX));
    expect(() => new ObjectId(longer)).toThrow('12 bytes, got 13');
  });

  it('cannot be given other bytes', () => {
    const id = new ObjectId(HEX);
    expect(() => Object.assign(id, { id: Buffer.alloc(12) })).toThrow(TypeError);
    expect(id.toHexString()).toBe(HEX);
  });

  it('is told by isValid from what throws when it is looked at', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const traps = new Proxy({}, { getPrototypeOf: () => fail(), get: () => fail(), has: () => fail() });
    expect([proxy, traps].map((value) => ObjectId.isValid(value))).toEqual([false, false]);
  });
});

function fail(): never {
  throw new Error('looked at');
}

describe('what is no ObjectId', () => {
  it.each([
    [null, TypeError, 'got null'],
    [true, TypeError, 'got true'],
    [{}, TypeError, 'got an object'],
    [{ id: 12 }, TypeError, 'got 12'],
    [[1, 2], TypeError, 'got an array'],
    ['', RangeError, 'got 0 characters'],
    ['abcdefghijkl', RangeError, 'got 12 characters'],
    ['5a17b9d9ab102555b9c3887g', RangeError, 'got "g" at position 23'],
    ['\u01355a17b9d9ab102555b9c3887', RangeError, 'at position 0'],
    ['\uff15a17b9d9ab102555b9c38874', RangeError, 'at position 0'],
    [new Uint8Array(11), RangeError, 'got 11'],
    [-1, RangeError, '0 .. 4294967295, got -1'],
    [2 ** 32, RangeError, 'got 4294967296'],
    [Number.NaN, RangeError, 'got NaN'],
  ])('is refused: %j', (input, type, message) => {
    const make = () => new ObjectId(input as string);
    expect(make).toThrow(type);
    expect(make).toThrow(message);
    expect(ObjectId.isValid(input)).toBe(false);
  });

  it.each([
    [() => ObjectId.createFromTime(-1), RangeError, 'got -1'],
    [() => ObjectId.createFromTime(Date.now()), RangeError, '0 .. 4294967295'],
    [() => ObjectId.createFromTime('1' as unknown as number), TypeError, 'got "1"'],
    [() => ObjectId.createFromHexString('5a'), RangeError, 'got 2 characters'],
    [() => ObjectId.createFromHexString(null as unknown as string), TypeError, 'got null'],
    [() => ObjectId.createFromBase64('AAAA'), RangeError, 'got "AAAA"'],
    [() => ObjectId.createFromBase64('AAAAAAAAAAAAAA=='), RangeError, '16 base64 digits'],
    [() => ObjectId.createFromBase64('A'.repeat(17)), RangeError, '16 base64 digits'],
    [() => ObjectId.createFromBase64(7 as unknown as string), TypeError, 'got 7'],
  ])('is refused by the static functions: %s', (make, type, message) => {
    expect(make).toThrow(type);
    expect(make).toThrow(message);
  });

  it('never gets in, and never gets another error than a TypeError or RangeError', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        try {
          const hex = new ObjectId(input as string).toHexString();
          expect(hex).toMatch(/^[0-9a-f]{24}$/);
          if (typeof input === 'string') expect(hex).toBe(input.toLowerCase());
          if (input !== undefined && typeof input !== 'number') expect(ObjectId.isValid(input)).toBe(true);
        } catch (error) {
          if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
          expect(ObjectId.isValid(input)).toBe(false);
        }
        expect(typeof new ObjectId(HEX).equals(input as string)).toBe('boolean');
      }),
      { numRuns: 2_000 },
    );
  });
});
