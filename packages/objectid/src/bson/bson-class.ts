import { shownValue } from '@ids/core/strategy';

/**
 * The class `ObjectId` of the packages `bson` and `mongodb`, of any version: made of
 * hex digits, or of 12 bytes.
 */
export type BsonObjectIdClass<T = unknown, Input = Uint8Array> = new (id: Input) => T;

let connected: BsonObjectIdClass | undefined;

/** Holds `bsonObjectId` for `bsonObjectIdOf`; returns it. Throws a `TypeError` unless it is a class. */
export function setBsonClass(bsonObjectId: BsonObjectIdClass): BsonObjectIdClass {
  connected = assertClass(bsonObjectId);
  return connected;
}

/**
 * Throws a `TypeError` before `connectBson` was called: written without it, the id would
 * become a document of numbers.
 */
export function bsonObjectIdOf(id: { readonly id: Uint8Array }): unknown {
  if (connected === undefined) {
    throw new TypeError(`call connectBson(ObjectId) with the class of bson before ${String(id)} is stored`);
  }
  // Some versions keep these very bytes, so each has its own.
  return new connected(id.id);
}

export function assertClass<C extends BsonObjectIdClass<unknown, never>>(bsonObjectId: C): C {
  if (typeof bsonObjectId === 'function') return bsonObjectId;
  throw new TypeError(`must be the class ObjectId of bson or mongodb, got ${shownValue(bsonObjectId)}`);
}
