import type { SyncIdGenerator } from '@ids/core';
import { createObjectIdGenerator } from '../index.js';
import { assertClass, type BsonObjectIdClass } from './bson-class.js';

/**
 * For the option `pkFactory` of the MongoDB driver: `new MongoClient(url, { pkFactory:
 * createPkFactory(ObjectId) })` gives documents without an `_id` one of our ids, as an instance of the
 * driver's own class. `ids` stays the caller's.
 */
export function createPkFactory<T>(
  bsonObjectId: BsonObjectIdClass<T, string>,
  ids: Pick<SyncIdGenerator<string>, 'nextSync'> = createObjectIdGenerator(),
): { createPk(): T } {
  const Class = assertClass(bsonObjectId);
  return { createPk: () => new Class(ids.nextSync()) };
}
