import { formatValue } from '@ids/core/strategy';

/** The class `ObjectId` of any version of `bson` or `mongodb`, constructed from hex digits or 12 bytes. */
export type BsonObjectIdClass<T = unknown, Input = Uint8Array> = new (id: Input) => T;

let connected: BsonObjectIdClass | undefined;

/** Stores `bsonObjectId` for `bsonObjectIdOf` and returns it. Throws a `TypeError` if it is not a class. */
export function setBsonClass(bsonObjectId: BsonObjectIdClass): BsonObjectIdClass {
  connected = assertClass(bsonObjectId);
  return connected;
}

/**
 * Converts an id to the connected class. Throws a `TypeError` if `connectBson` was not called: the id would
 * otherwise be stored as a document of numbers.
 */
export function bsonObjectIdOf(id: { readonly id: Uint8Array }): unknown {
  if (connected === undefined) {
    throw new TypeError(`call connectBson(ObjectId) with the class of bson before storing ${String(id)}`);
  }
  // Some versions keep the array they are passed, so each gets its own.
  return new connected(id.id);
}

export function assertClass<C extends BsonObjectIdClass<unknown, never>>(bsonObjectId: C): C {
  if (typeof bsonObjectId === 'function') return bsonObjectId;
  throw new TypeError(`must be the class ObjectId of bson or mongodb, got ${formatValue(bsonObjectId)}`);
}
