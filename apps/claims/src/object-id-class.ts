import { createObjectIdGenerator } from '@ids/objectid';
import { connectBson, ObjectId } from '@ids/objectid/bson';
import { type Calls, callsProbe, inOnePiece } from './probes/calls.js';

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
  const probe = (what: string, open: (Class: ObjectIdClass<T>) => Calls, limit?: number) =>
    callsProbe({
      name: `${what} of ${of}`,
      ...(limit !== undefined && { maxIdsPerSecond: limit }),
      open: async () => open(await load()),
    });
  return {
    create: probe(
      'new ObjectId()',
      (Class) => ({
        call: () => new Class(),
        problem: (ids) =>
          new Set(ids.map(String)).size === ids.length ? undefined : 'an id was issued twice',
      }),
      maxIdsPerSecond,
    ),
    parse: probe('new ObjectId(hex)', (Class) => ({
      call: (index) => new Class(hexAt(index)),
      reads: hexAt,
      problem: all((index, id) => (id as T).toHexString() === hexAt(index)),
    })),
    copy: probe('new ObjectId(objectId)', (Class) => {
      const ids = parsed(Class);
      return {
        call: (index) => new Class(ids[index]),
        reads: (index) => ids[index],
        problem: all((index, id) => id !== ids[index] && (id as T).toHexString() === hexAt(index)),
      };
    }),
    fromBytes: probe('new ObjectId(bytes)', (Class) => {
      const bytes = hexes.map((hex) => Buffer.from(hex, 'hex'));
      return {
        call: (index) => new Class(bytes[index]),
        reads: (index) => bytes[index],
        problem: all((index, id) => (id as T).toHexString() === hexAt(index)),
      };
    }),
    bytes: probe('bytes of an ObjectId', (Class) => {
      const ids = parsed(Class);
      return {
        call: (index) => (ids[index] as T).id,
        reads: (index) => ids[index],
        problem: all((index, bytes) => Buffer.from(bytes as Uint8Array).toString('hex') === hexAt(index)),
      };
    }),
    hex: probe('toHexString', (Class) => {
      const ids = parsed(Class);
      return {
        call: (index) => (ids[index] as T).toHexString(),
        reads: (index) => ids[index],
        problem: all((index, hex) => hex === hexAt(index)),
      };
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
    equals: probe('equals', (Class) => {
      const [ids, others] = [parsed(Class), parsed(Class)];
      return {
        // Alternately the same id and another one.
        call: (index) => (ids[index] as T).equals(others[index & ~1] as never),
        reads: (index) => ids[index] === others[index & ~1],
        problem: all((index, equal) => equal === (index % 2 === 0)),
      };
    }),
    isValid: probe('isValid', (Class) => ({
      call: (index) => Class.isValid(hexAt(index)),
      reads: hexAt,
      problem: all((_, valid) => valid === true),
    })),
    timestamp: probe('milliseconds of an ObjectId', (Class) => {
      const ids = parsed(Class);
      return {
        call: (index) => milliseconds(ids[index] as T),
        reads: (index) => ids[index],
        problem: all((index, ms) => ms === Number.parseInt(hexAt(index).slice(0, 8), 16) * 1_000),
      };
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
