import type { SyncIdGenerator } from '@ids/core';
import { createObjectIdGenerator } from '../index.js';
import { assertClass, type BsonObjectIdClass, setBsonClass } from './bson-class.js';
import { ObjectId } from './object-id.js';

/** The property in which values of `bson` 5 and later keep the major version. */
const BSON_VERSION = Symbol.for('@@mdb.bson.version');

/**
 * Sets the class that the driver uses for ids. From then on `bson` and `mongodb` store each `ObjectId` of
 * this package as an instance of that class, in documents and in queries, and `EJSON` writes `$oid`. Applies
 * to the whole thread; a later call replaces the class. Throws a `TypeError` if it is not a class.
 */
export function connectBson(bsonObjectId: BsonObjectIdClass): void {
  const { prototype } = setBsonClass(bsonObjectId) as {
    readonly prototype?: { readonly [BSON_VERSION]?: unknown };
  };
  // EJSON does not call toBSON, but writes the properties of any value without a type. A type unknown to
  // every version makes EJSON call toExtendedJSON, and prevents it and others from reading properties that
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
 * For the option `pkFactory` of the MongoDB driver:
 * `new MongoClient(url, { pkFactory: createPkFactory(ObjectId) })` gives documents without an `_id` an id of
 * `ids`, as an instance of the driver's own class. The caller still owns `ids`.
 */
export function createPkFactory<T>(
  bsonObjectId: BsonObjectIdClass<T, string>,
  ids: Pick<SyncIdGenerator<string>, 'nextSync'> = createObjectIdGenerator(),
): { createPk(): T } {
  const Class = assertClass(bsonObjectId);
  return { createPk: () => new Class(ids.nextSync()) };
}
