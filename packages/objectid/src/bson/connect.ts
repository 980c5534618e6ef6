import type { SyncIdGenerator } from '@ids/core';
import { createObjectIdGenerator } from '../index.js';
import { assertClass, type BsonObjectIdClass, setBsonClass } from './bson-class.js';
import { ObjectId } from './object-id.js';

/** Under which `bson` from major 5 on keeps its major in each of its values. */
const BSON_VERSION = Symbol.for('@@mdb.bson.version');

/**
 * Names the class that the driver knows ids by: from now on `bson` and `mongodb` store each of our
 * `ObjectId`s as one of these, in documents and in queries, and `EJSON` writes `$oid`. For the whole thread;
 * a later call replaces the class. Throws a `TypeError` unless it is a class.
 */
export function connectBson(bsonObjectId: BsonObjectIdClass): void {
  const { prototype } = setBsonClass(bsonObjectId) as {
    readonly prototype?: { readonly [BSON_VERSION]?: unknown };
  };
  // EJSON does not ask for toBSON: of what has no type it writes the properties. A type that no version has
  // a meaning for makes it ask for toExtendedJSON, and keeps it and others from reading properties that
  // only their own ObjectId has.
  const value = (name: unknown) => ({ value: name, configurable: true });
  Object.defineProperties(ObjectId.prototype, {
    _bsontype: value('ObjectId of @ids/objectid'),
    [BSON_VERSION]: value(prototype?.[BSON_VERSION]),
    toExtendedJSON: value(function toExtendedJSON(this: ObjectId) {
      return { $oid: this.toHexString() };
    }),
  });
}

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
