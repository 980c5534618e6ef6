import type { Use } from '../measure/sync-bursts.js';
import type { Claim, PackageClaims, ProbeCase } from './claim.js';
import { ours, theirs } from './object-id-class-probes.js';
import {
  batch,
  borrowCeiling,
  bsonImporting,
  bsonNext,
  classImporting,
  clock,
  hyperid,
  idHeap,
  importing,
  nanoid6,
  next,
  objectHeap,
  throwCeiling,
  turnNext,
} from './objectid-probes.js';

type Figure = readonly [ProbeCase, string];

const PACKAGE = 'objectid';

/** `own` takes at most the `times`th part of what `control` takes. */
function faster(what: string, times: number, own: Figure, control: Figure, text: string): Claim {
  return {
    ...claim(what, text, own, times),
    control: { probe: control[0].name, figure: control[1] },
    direction: 'at least',
  };
}

/** `own` takes at most `times` as long as `control`. */
function atMostTimes(what: string, times: number, own: Figure, control: Figure, text: string): Claim {
  return { ...faster(what, times, own, control, text), direction: 'at most' };
}

function atMost(what: string, threshold: number, own: Figure, text: string): Claim {
  return { ...claim(what, text, own, threshold), direction: 'at most' };
}

function claim(what: string, text: string, [{ name: probe }, figure]: Figure, threshold: number) {
  return { id: `${PACKAGE}/${what}`, package: PACKAGE, text, case: { probe, figure }, threshold };
}

const raw = (probe: ProbeCase): Figure => [probe, 'raw'];
const perCall = (probe: ProbeCase): Figure => [probe, 'perCall'];

/** What becomes of each id, as a README says it; in claims' names the first word stands. */
const USES: Readonly<Record<Use, readonly [id: string, words: string]>> = {
  raw: ['raw', 'where each id is only kept'],
  flattened: ['flattened', 'where a character of each id is read'],
  asMapKey: ['map-key', 'where each id is looked up in a Map'],
  inserted: ['inserted', 'where each id is put into a growing Set'],
};

/** One claim for each use: `own` is at least so many times as fast as the peer. */
function usesClaims(
  [id, text, own]: readonly [string, string, ProbeCase],
  [peerId, peer, control]: readonly [string, string, ProbeCase],
  times: Readonly<Record<Use, number>>,
): Claim[] {
  return (Object.keys(USES) as Use[]).map((use) => {
    const [useId, words] = USES[use];
    const figures = [[own, use] as const, [control, use] as const] as const;
    const sentence = `${text} is at least ${times[use]} times as fast as ${peer} ${words}`;
    return faster(`${id}-${peerId}-${useId}`, times[use], ...figures, sentence);
  });
}

function classClaim(what: keyof typeof ours, times: number, text: string): Claim {
  const rest = `at least ${times} times as fast as bson`;
  return faster(what, times, perCall(ours[what]), perCall(theirs[what]), `${text} is ${rest}`);
}

const EXACT = ['next', 'nextSync()', next] as const;
const TURN = ['turn', "nextSync() with clock: 'turn'", turnNext] as const;
const BSON = ['bson', 'new ObjectId().toHexString() of bson', bsonNext] as const;
const HYPERID = ['hyperid', 'hyperid', hyperid] as const;
const NANOID = ['nanoid', 'nanoid 6', nanoid6] as const;

export const objectidClaims: PackageClaims = {
  claims: [
    ...usesClaims(EXACT, BSON, { raw: 3, flattened: 2.5, asMapKey: 2, inserted: 1.5 }),
    ...usesClaims(EXACT, HYPERID, { raw: 0.5, flattened: 0.5, asMapKey: 0.7, inserted: 0.7 }),
    ...usesClaims(EXACT, NANOID, { raw: 1.3, flattened: 0.7, asMapKey: 0.8, inserted: 0.8 }),
    ...usesClaims(TURN, BSON, { raw: 8, flattened: 3.5, asMapKey: 2.5, inserted: 2 }),
    ...usesClaims(TURN, HYPERID, { raw: 1.2, flattened: 0.9, asMapKey: 1, inserted: 0.9 }),
    ...usesClaims(TURN, NANOID, { raw: 3, flattened: 1.1, asMapKey: 1.1, inserted: 1 }),
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
      'until then none repeats: each is above the last',
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
      'until then none repeats: each is above the last',
    ),
  ],
  probes: [
    next,
    turnNext,
    batch,
    bsonNext,
    hyperid,
    nanoid6,
    classImporting,
    clock,
    ...Object.values(ours),
    ...Object.values(theirs),
    objectHeap,
    idHeap,
    importing,
    classImporting,
    bsonImporting,
    throwCeiling,
    borrowCeiling,
  ],
};
