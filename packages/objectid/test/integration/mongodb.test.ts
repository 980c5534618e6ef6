import { ObjectId as DriverObjectId, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectBson, createPkFactory, ObjectId } from '../../src/bson/index.js';
import { lowerBound, upperBound } from '../../src/tools/index.js';

const url = process.env.MONGO_URL;

if (url === undefined) {
  describe('with a MongoDB server', () => {
    it('is not run', ({ skip }) =>
      skip('MONGO_URL is not set: set it to a server, such as mongodb://127.0.0.1:27017'));
  });
} else {
  describe('with a MongoDB server', () => {
    const client = new MongoClient(url, { pkFactory: createPkFactory(DriverObjectId) });
    const name = `objectid_${new ObjectId()}`;
    const things = client.db(name).collection<{ _id: DriverObjectId; n: number; ref?: unknown }>('things');
    beforeAll(() => connectBson(DriverObjectId));
    afterAll(async () => {
      await client.db(name).dropDatabase();
      await client.close();
    });

    it('documents without an _id get ours, in the order of their insertion', async () => {
      await things.insertMany(Array.from({ length: 500 }, (_, n) => ({ n })) as never[]);
      const found = await things.find().sort({ _id: 1 }).toArray();
      expect(found.map(({ n }) => n)).toEqual(found.map((_, index) => index));
      const before = new ObjectId(found[0]?._id);
      expect(ObjectId.compare(before, new ObjectId())).toBe(-1);
    });

    it('our ObjectIds are stored, found and given back as ObjectIds', async () => {
      const [id, ref] = [new ObjectId(), new ObjectId()];
      await things.insertOne({ _id: id, n: -1, ref } as never);
      const found = await things.findOne({ ref } as never);
      expect(id.equals(found?._id)).toBe(true);
      expect(ref.equals(found?.ref as DriverObjectId)).toBe(true);
      expect(await things.countDocuments({ ref: { $type: 'objectId' } })).toBe(1);
    });

    it('bounds enclose what was inserted between them', async () => {
      const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
      const range = { $gte: new ObjectId(lowerBound(from)), $lte: new ObjectId(upperBound(to)) };
      expect(await things.countDocuments({ _id: range } as never)).toBe(await things.countDocuments());
    });
  });
}
