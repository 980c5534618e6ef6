import * as bson from 'bson';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connectBson, createPkFactory, ObjectId } from '../src/bson/index.js';
import { createObjectIdGenerator } from '../src/index.js';
import { lowerBound, parseObjectId } from '../src/tools/index.js';
import { anyHex } from './support/any-id.js';
import { cellsAt, issuerAt } from './support/issuer-at.js';

/** Parsed back by bson: what a database would hold. */
function stored(document: bson.Document): bson.Document {
  return bson.deserialize(bson.serialize(document));
}

describe('an ObjectId that bson stores', () => {
  connectBson(bson.ObjectId);

  it('comes back as the same id: alone, nested, in arrays, in maps and under itself as a key', () => {
    fc.assert(
      fc.property(anyHex, (hex) => {
        const [ours, theirs] = [new ObjectId(hex), new bson.ObjectId(hex)];
        const shapes = (id: unknown) => ({
          _id: id,
          nested: { id, deeper: [{ id }] },
          list: [id, [id]],
          map: new Map<string, unknown>([[hex, id]]),
          [String(id)]: id,
        });
        expect(bson.serialize(shapes(ours))).toEqual(bson.serialize(shapes(theirs)));
        expect(bson.calculateObjectSize(shapes(ours))).toBe(bson.calculateObjectSize(shapes(theirs)));
        const back = stored(shapes(ours));
        expect(back._id).toBeInstanceOf(bson.ObjectId);
        for (const id of [
          back._id,
          back.nested.id,
          back.nested.deeper[0].id,
          back.list[1][0],
          back.map[hex],
        ]) {
          expect(new ObjectId(id).equals(ours)).toBe(true);
          expect(ours.equals(id)).toBe(true);
        }
      }),
    );
  });

  it('keeps its order: that of BSON is that of the bytes on the wire', () => {
    const issued = Array.from({ length: 5_000 }, () => new ObjectId());
    const wires = issued.map((id) => Buffer.from(bson.serialize({ id })));
    expect(
      wires.findIndex((wire, index) => index > 0 && Buffer.compare(wires[index - 1] ?? wire, wire) >= 0),
    ).toBe(-1);
    const sorted = [...issued].reverse().sort(ObjectId.compare);
    expect(sorted.every((id, index) => id === issued[index])).toBe(true);
  });

  it('is Extended JSON as the one in bson is: alone, nested, in arrays, in maps and in a DBRef', () => {
    fc.assert(
      fc.property(anyHex, fc.boolean(), (hex, relaxed) => {
        const shapes = (id: bson.ObjectId) => ({
          id,
          nested: { list: [id, [{ id }]], map: new Map([['id', id]]) },
          ref: new bson.DBRef('orders', id, 'shop', { also: id }),
          code: new bson.Code('f', { id }),
        });
        const ours = new ObjectId(hex);
        const text = bson.EJSON.stringify(shapes(ours as unknown as bson.ObjectId), { relaxed });
        expect(text).toBe(bson.EJSON.stringify(shapes(new bson.ObjectId(hex)), { relaxed }));
        expect(ours.equals(bson.EJSON.parse(text).nested.list[0])).toBe(true);
        expect(bson.EJSON.stringify({ id: ours.toBSON() })).toBe(`{"id":{"$oid":"${hex}"}}`);
      }),
    );
  });

  it('goes into a DBRef as one, and comes back from it', () => {
    const ours = new ObjectId();
    const ref = new bson.DBRef('orders', ours as unknown as bson.ObjectId);
    expect(ours.equals(stored({ ref }).ref.oid)).toBe(true);
  });

  it('still is no ObjectId of bson, whose equals and constructor read it by its methods', () => {
    const ours = new ObjectId();
    const theirs = new bson.ObjectId(ours.toHexString());
    expect(ours).not.toHaveProperty('_bsontype', 'ObjectId');
    expect(theirs.equals(ours)).toBe(true);
    expect(new bson.ObjectId(ours)).toEqual(theirs);
    expect(Object.keys(ours)).toEqual(Object.keys(new ObjectId(ours)));
  });

  it('is refused by the EJSON of another major than the one that is connected', () => {
    class OfAnotherMajor extends bson.ObjectId {
      get [Symbol.for('@@mdb.bson.version') as never](): number {
        return 1;
      }
    }
    try {
      connectBson(OfAnotherMajor);
      expect(() => bson.EJSON.stringify({ id: new ObjectId() })).toThrow(bson.BSONVersionError);
    } finally {
      connectBson(bson.ObjectId);
    }
  });
});

describe('before bson is connected', () => {
  afterEach(() => vi.resetModules());

  it('an ObjectId refuses to be stored, saying what to call', async () => {
    vi.resetModules();
    const fresh = await import('../src/bson/index.js');
    expect(() => bson.serialize({ id: new fresh.ObjectId() })).toThrow(/call connectBson\(ObjectId\)/);
    for (const wrong of [undefined, bson, {}, 'ObjectId']) {
      const refused = /^must be the class ObjectId of bson or mongodb, got /;
      expect(() => fresh.connectBson(wrong as unknown as typeof bson.ObjectId)).toThrow(refused);
      expect(() => fresh.connectBson(wrong as unknown as typeof bson.ObjectId)).toThrow(TypeError);
      expect(() => fresh.createPkFactory(wrong as unknown as typeof bson.ObjectId)).toThrow(refused);
      expect(() => fresh.createPkFactory(wrong as unknown as typeof bson.ObjectId)).toThrow(TypeError);
    }
  });
});

it('bson may be connected by a bound class, which has no prototype', () => {
  class Stored {
    readonly bytes: Uint8Array;
    constructor(bytes: Uint8Array) {
      this.bytes = bytes;
    }
  }
  try {
    connectBson(Stored.bind(undefined));
    expect(new ObjectId('ab'.repeat(12)).toBSON()).toEqual(new Stored(Buffer.alloc(12, 0xab)));
  } finally {
    connectBson(bson.ObjectId);
  }
});

describe('createPkFactory', () => {
  it('makes ids of the class of the driver, from our counter', () => {
    const factory = createPkFactory(bson.ObjectId);
    const ids = [factory.createPk(), new ObjectId(), factory.createPk()];
    expect(ids[0]).toBeInstanceOf(bson.ObjectId);
    expect(ids.map(String)).toEqual([...new Set(ids.map(String))].sort());
    expect(stored({ _id: ids[0] })._id).toEqual(ids[0]);
  });

  it('takes ids from a generator that is given', () => {
    const given = createObjectIdGenerator({ overflow: 'throw' });
    expect(
      createPkFactory(bson.ObjectId, { nextSync: () => 'ab'.repeat(12) })
        .createPk()
        .toHexString(),
    ).toBe('ab'.repeat(12));
    expect(createPkFactory(bson.ObjectId, given).createPk()).toBeInstanceOf(bson.ObjectId);
  });

  it('is what the driver takes as its option', async () => {
    const pkFactory = createPkFactory(bson.ObjectId);
    await using client = new MongoClient('mongodb://127.0.0.1:1', { pkFactory });
    expect(client.db('x').options?.pkFactory ?? pkFactory).toBe(pkFactory);
  });
});

describe('for bson, our ids', () => {
  it('are ObjectIds with the same time, whenever they are issued', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 * 1_000 - 1 }), fc.nat(2 ** 24 - 1), (ms, counter) => {
        const { clock, issuer } = issuerAt({ cells: cellsAt(0, counter) });
        clock.ms = ms;
        const id = issuer.issue(1);
        const parsed = bson.ObjectId.createFromHexString(id);
        expect(parsed.toHexString()).toBe(id);
        expect(parsed.getTimestamp()).toEqual(parseObjectId(id).date);
        expect(parsed.getTimestamp().getTime()).toBe(ms - (ms % 1_000));
      }),
    );
  });

  it('are bounded as by its createFromTime', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (seconds) => {
        expect(lowerBound(new Date(seconds * 1_000))).toBe(
          bson.ObjectId.createFromTime(seconds).toHexString(),
        );
      }),
    );
  });
});
