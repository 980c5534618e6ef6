import { createObjectIdGenerator } from '@ids/objectid';
import { connectBson, ObjectId } from '@ids/objectid/bson';
import { callsProbe, inOnePiece } from './probes/calls.js';

/** What the format allows. */
export const { maxIdsPerSecond = Number.POSITIVE_INFINITY } = createObjectIdGenerator().guarantees;

/** What both classes can do. */
interface ObjectIdClass<T extends AnyObjectId> {
  new (id?: string | Uint8Array | T): T;
  isValid(hex: string): boolean;
}

interface AnyObjectId {
  readonly id: Uint8Array;
  toHexString(): string;
  equals(other: never): boolean;
}

function classProbes<T extends AnyObjectId>(
  of: string,
  load: () => Promise<ObjectIdClass<T>>,
  milliseconds: (id: T) => number,
) {
  const hexes = inOnePiece(Array.from({ length: 1_000 }, () => new ObjectId().toHexString()));
  const all = (right: (index: number, output: unknown) => boolean) => (outputs: readonly unknown[]) => {
    const wrong = outputs.findIndex((output, index) => !right(index, output));
    return wrong === -1 ? undefined : `call ${wrong} returned ${String(outputs[wrong])}`;
  };
  const hexAt = (index: number): string => hexes[index] as string;
  const parsed = (Class: ObjectIdClass<T>): T[] => hexes.map((hex) => new Class(hex));
  return {
    create: callsProbe({
      name: `new ObjectId() of ${of}`,
      maxIdsPerSecond,
      async open() {
        const Class = await load();
        return {
          call: () => new Class(),
          problem: (ids) =>
            new Set(ids.map(String)).size === ids.length ? undefined : 'an id was issued twice',
        };
      },
    }),
    parse: callsProbe({
      name: `new ObjectId(hex) of ${of}`,
      async open() {
        const Class = await load();
        return {
          call: (index) => new Class(hexAt(index)),
          reads: hexAt,
          problem: all((index, id) => (id as T).toHexString() === hexAt(index)),
        };
      },
    }),
    copy: callsProbe({
      name: `new ObjectId(objectId) of ${of}`,
      async open() {
        const Class = await load();
        const ids = parsed(Class);
        return {
          call: (index) => new Class(ids[index]),
          reads: (index) => ids[index],
          problem: all((index, id) => id !== ids[index] && (id as T).toHexString() === hexAt(index)),
        };
      },
    }),
    fromBytes: callsProbe({
      name: `new ObjectId(bytes) of ${of}`,
      async open() {
        const Class = await load();
        const bytes = hexes.map((hex) => Buffer.from(hex, 'hex'));
        return {
          call: (index) => new Class(bytes[index]),
          reads: (index) => bytes[index],
          problem: all((index, id) => (id as T).toHexString() === hexAt(index)),
        };
      },
    }),
    bytes: callsProbe({
      name: `bytes of an ObjectId of ${of}`,
      async open() {
        const ids = parsed(await load());
        return {
          call: (index) => (ids[index] as T).id,
          reads: (index) => ids[index],
          problem: all((index, bytes) => Buffer.from(bytes as Uint8Array).toString('hex') === hexAt(index)),
        };
      },
    }),
    hex: callsProbe({
      name: `toHexString of ${of}`,
      async open() {
        const ids = parsed(await load());
        return {
          call: (index) => (ids[index] as T).toHexString(),
          reads: (index) => ids[index],
          problem: all((index, hex) => hex === hexAt(index)),
        };
      },
    }),
    serialize: callsProbe({
      name: `BSON.serialize of an ObjectId of ${of}`,
      async open() {
        const bson = await import('bson');
        connectBson(bson.ObjectId);
        const documents = parsed(await load()).map((_id) => ({ _id }));
        return {
          call: (index) => bson.serialize(documents[index] as object),
          reads: (index) => documents[index],
          problem: all((index, bytes) => String(bson.deserialize(bytes as Uint8Array)._id) === hexAt(index)),
        };
      },
    }),
    equals: callsProbe({
      name: `equals of ${of}`,
      async open() {
        const Class = await load();
        const [ids, others] = [parsed(Class), parsed(Class)];
        return {
          // Alternately the same id and another one.
          call: (index) => (ids[index] as T).equals(others[index & ~1] as never),
          reads: (index) => ids[index] === others[index & ~1],
          problem: all((index, equal) => equal === (index % 2 === 0)),
        };
      },
    }),
    isValid: callsProbe({
      name: `isValid of ${of}`,
      async open() {
        const Class = await load();
        return {
          call: (index) => Class.isValid(hexAt(index)),
          reads: hexAt,
          problem: all((_, valid) => valid === true),
        };
      },
    }),
    timestamp: callsProbe({
      name: `milliseconds of an ObjectId of ${of}`,
      async open() {
        const ids = parsed(await load());
        return {
          call: (index) => milliseconds(ids[index] as T),
          reads: (index) => ids[index],
          problem: all((index, ms) => ms === Number.parseInt(hexAt(index).slice(0, 8), 16) * 1_000),
        };
      },
    }),
  };
}

export const ours = classProbes(
  '@ids/objectid/bson',
  async () => ObjectId,
  (id) => id.getTime(),
);
export const theirs = classProbes(
  'bson',
  async () => (await import('bson')).ObjectId,
  (id) => id.getTimestamp().getTime(),
);
