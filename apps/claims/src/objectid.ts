import { memoryControl, subjectOf } from '@ids/bench/measure';
import { createObjectIdGenerator } from '@ids/objectid';
import { ObjectId } from '@ids/objectid/bson';
import { claimsOf, type Figure, type StatedClaim } from './claim.js';
import { maxIdsPerSecond, ours, theirs } from './object-id-class.js';
import { batchProbe, callsProbe } from './probes/calls.js';
import { heapProbe, importProbe } from './probes/footprint.js';
import { ceilingProbe, idsProbe } from './probes/ids.js';
import type { ProbeCase } from './probes/probe.js';
import { usesClaims } from './uses.js';

const { guarantees } = createObjectIdGenerator();

/** One id of so many is kept: more than share a prefix, so that no neighbour keeps it alive. */
const IDS_PER_KEPT = 4_200;

const next = idsProbe({
  name: 'objectid nextSync',
  format: guarantees,
  maxIdsPerSecond,
  open: async () => subjectOf(createObjectIdGenerator()),
});

const batch = batchProbe({
  name: 'objectid nextBatchSync(1000)',
  maxIdsPerSecond,
  async open() {
    const generator = createObjectIdGenerator();
    return { batch: (count) => generator.nextBatchSync(count) };
  },
});

const bsonNext = idsProbe(memoryControl('bson ObjectId'));

const hyperid = idsProbe({
  name: 'hyperid',
  format: { idType: 'string', text: { pattern: /^[\w+/-]{22}\/\d+$/, maxLength: 33, sortable: false } },
  async open() {
    const { default: create } = await import('hyperid');
    return { nextSync: create(), close: async () => {} };
  },
});

const nanoid6 = idsProbe({
  name: 'nanoid 6',
  format: { idType: 'string', text: { pattern: /^[\w-]{21}$/, maxLength: 21, sortable: false } },
  async open() {
    const { nanoid } = await import('nanoid6');
    return { nextSync: () => nanoid(), close: async () => {} };
  },
});

/** The clock alone, which a generator reads for each id. */
const clock = callsProbe({
  name: 'Date.now()',
  open: async () => ({
    call: () => Date.now(),
    problem: (times) => (Math.max(...(times as number[])) <= Date.now() ? undefined : 'a time in the future'),
  }),
});

const idHeap = heapProbe({
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

const objectHeap = heapProbe({
  name: 'new ObjectId(), heap',
  things: 200_000,
  open: async () => () => new ObjectId(),
});

const importing = importProbe('import @ids/objectid', () => import.meta.resolve('@ids/objectid'));
const classImporting = importProbe('import @ids/objectid/bson', () =>
  import.meta.resolve('@ids/objectid/bson'),
);
const bsonImporting = importProbe('import bson', () => import.meta.resolve('bson'));

const throwCeiling = ceilingProbe({
  name: 'objectid past its ceiling, overflow "throw"',
  maxIdsPerSecond,
  async open() {
    const generator = createObjectIdGenerator({ overflow: 'throw' });
    return () => generator.nextSync();
  },
  above: (id, before) => id > before,
});

/**
 * With objects, which use the same counter: to compare eleven seconds' worth of strings takes half a minute.
 */
const borrowCeiling = ceilingProbe({
  name: 'objectid past its ceiling, overflow "borrow"',
  maxIdsPerSecond,
  open: async () => () => new ObjectId(),
  above: (id, before) => ObjectId.compare(id, before) > 0,
});

const claims = claimsOf('objectid');
const { atMost, atMostTimes, faster } = claims;

const raw = (probe: ProbeCase): Figure => [probe, 'raw'];
const perCall = (probe: ProbeCase): Figure => [probe, 'perCall'];

function classClaim(what: keyof typeof ours, times: number, text: string): StatedClaim {
  const rest = `at least ${times} times as fast as bson`;
  return faster(what, times, perCall(ours[what]), perCall(theirs[what]), `${text} is ${rest}`);
}

const NEXT = ['next', 'nextSync()', next] as const;
const BSON = ['bson', 'new ObjectId().toHexString() of bson', bsonNext] as const;
const HYPERID = ['hyperid', 'hyperid', hyperid] as const;
const NANOID = ['nanoid', 'nanoid 6', nanoid6] as const;

export const objectidClaims: readonly StatedClaim[] = [
  ...usesClaims(claims, NEXT, BSON, { raw: 3, flattened: 2.5, asMapKey: 2, inserted: 1.5 }),
  ...usesClaims(claims, NEXT, HYPERID, { raw: 0.5, flattened: 0.5, asMapKey: 0.7, inserted: 0.7 }),
  ...usesClaims(claims, NEXT, NANOID, { raw: 1.3, flattened: 0.7, asMapKey: 0.8, inserted: 0.8 }),
  atMostTimes(
    'next-sync-clock',
    1.3,
    raw(next),
    perCall(clock),
    'nextSync() takes at most 1.3 times as long as Date.now() alone',
  ),
  faster(
    'next-batch-sync',
    10,
    perCall(batch),
    raw(bsonNext),
    'nextBatchSync(1000) gives an id at least 10 times as fast as bson',
  ),
  classClaim('create', 1.25, 'new ObjectId()'),
  classClaim('parse', 1.8, 'new ObjectId(hex)'),
  classClaim('equals', 2, 'equals()'),
  classClaim('isValid', 1, 'isValid()'),
  classClaim('timestamp', 3, 'getTime()'),
  classClaim('copy', 1.2, 'new ObjectId(objectId)'),
  classClaim('fromBytes', 1, 'new ObjectId(bytes)'),
  classClaim('bytes', 0.8, 'id, the bytes,'),
  classClaim('hex', 0.8, 'toHexString()'),
  classClaim('serialize', 0.5, 'BSON.serialize() of a document with an ObjectId'),
  atMost('object-heap', 56, [objectHeap, 'bytes'], 'an ObjectId takes at most 56 bytes, as one of bson'),
  atMost('id-heap', 72, [idHeap, 'bytes'], 'an id of nextSync(), kept alone, keeps at most 72 bytes alive'),
  atMost('import', 3, [importing, 'ms'], 'importing the package takes at most 3 ms of processor time'),
  faster(
    'import-bson',
    4,
    [importing, 'ms'],
    [bsonImporting, 'ms'],
    'importing the package takes at most a quarter of the time of bson',
  ),
  faster(
    'import-class-bson',
    3,
    [classImporting, 'ms'],
    [bsonImporting, 'ms'],
    'importing @ids/objectid/bson takes at most a third of the time of bson',
  ),
  atMost(
    'ceiling-throw',
    2,
    [throwCeiling, 'seconds'],
    "overflow: 'throw' refuses a loop that never pauses before two seconds' worth of ids",
  ),
  atMost(
    'ceiling-throw-repeats',
    0,
    [throwCeiling, 'notRising'],
    "overflow: 'throw' repeats none of the ids of such a loop: each is above the last",
  ),
  atMost(
    'ceiling-borrow',
    11,
    [borrowCeiling, 'seconds'],
    "overflow: 'borrow' refuses a loop that never pauses before eleven seconds' worth of ids",
  ),
  atMost(
    'ceiling-borrow-repeats',
    0,
    [borrowCeiling, 'notRising'],
    "overflow: 'borrow' repeats none of the ids of such a loop: each is above the last",
  ),
];
