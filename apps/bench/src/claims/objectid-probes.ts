import { createObjectIdGenerator } from '@ids/objectid';
import { ObjectId } from '@ids/objectid/bson';
import { memoryControl } from '../controls/memory-controls.js';
import { subjectOf } from '../subject-of.js';
import type { ProbeCase } from './probe.js';
import { batchProbe, callsProbe } from './probes/calls-probe.js';
import { ceilingProbe } from './probes/ceiling-probe.js';
import { heapProbe } from './probes/heap-probe.js';
import { idsProbe } from './probes/ids-probe.js';
import { importProbe } from './probes/import-probe.js';

const { guarantees } = createObjectIdGenerator();
const { maxIdsPerSecond = Number.POSITIVE_INFINITY } = guarantees;

/** One in each: more than share a prefix, so that none is kept alive by a neighbour. */
const IDS_PER_KEPT = 4_200;

export const next = idsProbe({
  name: 'objectid nextSync',
  format: guarantees,
  maxIdsPerSecond,
  open: async () => subjectOf(createObjectIdGenerator()),
});

export const turnNext = idsProbe({
  name: 'objectid nextSync, clock "turn"',
  format: guarantees,
  maxIdsPerSecond,
  open: async () => subjectOf(createObjectIdGenerator({ clock: 'turn' })),
});

export const batch = batchProbe({
  name: 'objectid nextBatchSync(1000)',
  maxIdsPerSecond,
  async open() {
    const generator = createObjectIdGenerator();
    return { batch: (count) => generator.nextBatchSync(count) };
  },
});

export const bsonNext = idsProbe(memoryControl('bson ObjectId'));

export const hyperid = idsProbe({
  name: 'hyperid',
  format: { idType: 'string', text: { pattern: /^[\w+/-]{22}\/\d+$/, maxLength: 33, sortable: false } },
  async open() {
    const { default: create } = await import('hyperid');
    return { nextSync: create(), close: async () => {} };
  },
});

export const nanoid6 = idsProbe({
  name: 'nanoid 6',
  format: { idType: 'string', text: { pattern: /^[\w-]{21}$/, maxLength: 21, sortable: false } },
  async open() {
    const { nanoid } = await import('nanoid6');
    return { nextSync: () => nanoid(), close: async () => {} };
  },
});

/** What a generator pays for its clock alone that asks for the time of each id as one does. */
export const clock = callsProbe({
  name: 'Date.now()',
  open: async () => ({
    call: () => Date.now(),
    problem: (times) => (Math.max(...(times as number[])) <= Date.now() ? undefined : 'a time to come'),
  }),
});

export const idHeap = heapProbe({
  name: 'objectid nextSync, heap',
  things: 4_500,
  async open() {
    const generator = createObjectIdGenerator();
    return () => {
      for (let i = 1; i < IDS_PER_KEPT; i++) generator.nextSync();
      return generator.nextSync();
    };
  },
});

export const objectHeap = heapProbe({
  name: 'new ObjectId(), heap',
  things: 200_000,
  open: async () => () => new ObjectId(),
});

export const importing = importProbe('import @ids/objectid', () => import.meta.resolve('@ids/objectid'));
export const classImporting = importProbe('import @ids/objectid/bson', () =>
  import.meta.resolve('@ids/objectid/bson'),
);
export const bsonImporting = importProbe('import bson', () => import.meta.resolve('bson'));

export const throwCeiling = ceilingProbe({
  name: 'objectid past its ceiling, overflow "throw"',
  maxIdsPerSecond,
  async open() {
    const generator = createObjectIdGenerator({ overflow: 'throw' });
    return () => generator.nextSync();
  },
  above: (id, before) => id > before,
});

/** By objects, which issue from the same counter: to compare eleven seconds' worth of texts would take half a minute. */
export const borrowCeiling = ceilingProbe({
  name: 'objectid past its ceiling, overflow "borrow"',
  maxIdsPerSecond,
  open: async () => () => new ObjectId(),
  above: (id, before) => ObjectId.compare(id, before) > 0,
});

/** What both classes are asked to do. */
interface ObjectIdClass<T extends AnyObjectId> {
  new (hex?: string): T;
  isValid(hex: string): boolean;
}

interface AnyObjectId {
  toHexString(): string;
  equals(other: never): boolean;
}

interface ClassProbes {
  readonly create: ProbeCase;
  readonly parse: ProbeCase;
  readonly equals: ProbeCase;
  readonly isValid: ProbeCase;
  readonly timestamp: ProbeCase;
}

function classProbes<T extends AnyObjectId>(
  of: string,
  load: () => Promise<ObjectIdClass<T>>,
  milliseconds: (id: T) => number,
): ClassProbes {
  const hexes = flat(Array.from({ length: 1_000 }, () => new ObjectId().toHexString()));
  const all = (right: (index: number, output: unknown) => boolean) => (outputs: readonly unknown[]) => {
    const wrong = outputs.findIndex((output, index) => !right(index, output));
    return wrong === -1 ? undefined : `call ${wrong} gave ${String(outputs[wrong])}`;
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
            new Set(ids.map(String)).size === ids.length ? undefined : 'an id was given twice',
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
    equals: callsProbe({
      name: `equals of ${of}`,
      async open() {
        const Class = await load();
        const [ids, others] = [parsed(Class), parsed(Class)];
        return {
          // By turns the same id and another one.
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

/** The same texts as a network or a file gives them: in one piece, not as the concatenation that made them. */
function flat(texts: readonly string[]): readonly string[] {
  return JSON.parse(JSON.stringify(texts)) as string[];
}
