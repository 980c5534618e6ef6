import { createObjectIdGenerator } from '@ids/objectid';
import { ObjectId } from '@ids/objectid/bson';
import { subjectOf } from '../bench-case.js';
import { memoryControl } from '../controls/memory-controls.js';
import { batchProbe, callsProbe } from './probes/calls-probe.js';
import { ceilingProbe } from './probes/ceiling-probe.js';
import { heapProbe } from './probes/heap-probe.js';
import { idsProbe } from './probes/ids-probe.js';
import { importProbe } from './probes/import-probe.js';

const { guarantees } = createObjectIdGenerator();
export const { maxIdsPerSecond = Number.POSITIVE_INFINITY } = guarantees;

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

/**
 * By objects, which issue from the same counter: to compare eleven seconds' worth of texts
 * would take half a minute.
 */
export const borrowCeiling = ceilingProbe({
  name: 'objectid past its ceiling, overflow "borrow"',
  maxIdsPerSecond,
  open: async () => () => new ObjectId(),
  above: (id, before) => ObjectId.compare(id, before) > 0,
});
