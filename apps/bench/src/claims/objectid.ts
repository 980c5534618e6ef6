import type { Claim } from './claim.js';
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
  ours,
  theirs,
  throwCeiling,
  turnNext,
} from './objectid-probes.js';
import type { PackageClaims, ProbeCase } from './probe.js';

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
const asMapKey = (probe: ProbeCase): Figure => [probe, 'asMapKey'];
const perCall = (probe: ProbeCase): Figure => [probe, 'perCall'];

function classClaim(what: keyof typeof ours, times: number, text: string): Claim {
  const rest = `at least ${times} times as fast as bson`;
  return faster(what, times, perCall(ours[what]), perCall(theirs[what]), `${text} is ${rest}`);
}

const BSON = 'new ObjectId().toHexString() of bson';
const TURN = "nextSync() with clock: 'turn'";
const IN_MAP = 'when each id is looked up in a Map';

export const objectidClaims: PackageClaims = {
  claims: [
    faster('next-sync', 3, raw(next), raw(bsonNext), `nextSync() is at least 3 times as fast as ${BSON}`),
    faster(
      'next-sync-map-key',
      2,
      asMapKey(next),
      asMapKey(bsonNext),
      `nextSync() is at least 2 times as fast as bson ${IN_MAP}`,
    ),
    faster('turn', 8, raw(turnNext), raw(bsonNext), `${TURN} is at least 8 times as fast as ${BSON}`),
    faster(
      'turn-map-key',
      3,
      asMapKey(turnNext),
      asMapKey(bsonNext),
      `${TURN} is at least 3 times as fast as bson ${IN_MAP}`,
    ),
    atMostTimes(
      'next-sync-clock',
      1,
      raw(next),
      perCall(clock),
      'nextSync() takes no longer than Date.now() alone',
    ),
    faster('turn-hyperid', 1, asMapKey(turnNext), asMapKey(hyperid), `${TURN} is ahead of hyperid ${IN_MAP}`),
    faster('turn-nanoid', 1, asMapKey(turnNext), asMapKey(nanoid6), `${TURN} is ahead of nanoid 6 ${IN_MAP}`),
    faster(
      'next-batch-sync',
      10,
      perCall(batch),
      raw(bsonNext),
      'nextBatchSync(1000) gives an id at least 10 times as fast as bson',
    ),
    classClaim('create', 1.25, 'new ObjectId()'),
    classClaim('parse', 2.5, 'new ObjectId(hex)'),
    classClaim('equals', 2, 'equals()'),
    classClaim('isValid', 1.3, 'isValid()'),
    classClaim('timestamp', 3, 'getTime()'),
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
