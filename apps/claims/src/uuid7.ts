import { memoryControl, subjectOf } from '@ids/bench/measure';
import { createUuid7Generator } from '@ids/uuid7';
import { claimsOf, type StatedClaim } from './claim.js';
import { batchProbe } from './probes/calls.js';
import { heapProbe, importProbe } from './probes/footprint.js';
import { idsProbe } from './probes/ids.js';
import { usesClaims } from './uses.js';

const { guarantees } = createUuid7Generator();

const next = idsProbe({
  name: 'uuid7 nextSync',
  format: guarantees,
  open: async () => subjectOf(createUuid7Generator()),
});

const batch = batchProbe({
  name: 'uuid7 nextBatchSync(1000)',
  async open() {
    const generator = createUuid7Generator();
    return { batch: (count) => generator.nextBatchSync(count) };
  },
});

const uuidv7 = idsProbe(memoryControl('uuidv7'));
const uuid = idsProbe(memoryControl('uuid v7'));
const ofNode = idsProbe(memoryControl('crypto.randomUUIDv7'));
const randomUuid = idsProbe(memoryControl('crypto.randomUUID'));

const idHeap = heapProbe({
  name: 'uuid7 nextSync, heap',
  things: 20_000,
  async open() {
    const generator = createUuid7Generator();
    const { now } = Date;
    let ms = now();
    return () => {
      // One of each millisecond: the ids of one share a prefix, which none of its neighbours may keep alive.
      ms++;
      Date.now = () => ms;
      const id = generator.nextSync();
      Date.now = now;
      return id;
    };
  },
});

const importing = importProbe('import @ids/uuid7', () => import.meta.resolve('@ids/uuid7'));

const claims = claimsOf('uuid7');
const { atMost, faster } = claims;

const NEXT = ['next', 'nextSync()', next] as const;
const UUIDV7 = ['uuidv7', 'uuidv7', uuidv7] as const;
const UUID = ['uuid', 'v7() of uuid', uuid] as const;
const OF_NODE = ['node', 'crypto.randomUUIDv7()', ofNode] as const;
const RANDOM = ['random', 'crypto.randomUUID()', randomUuid] as const;

export const uuid7Claims: readonly StatedClaim[] = [
  ...usesClaims(claims, NEXT, UUIDV7, { raw: 6, flattened: 4, asMapKey: 3.5, inserted: 3 }),
  ...usesClaims(claims, NEXT, UUID, { raw: 25, flattened: 15, asMapKey: 10, inserted: 8 }),
  ...usesClaims(claims, NEXT, OF_NODE, { raw: 1.5, flattened: 1.5, asMapKey: 1.2, inserted: 1.1 }),
  ...usesClaims(claims, NEXT, RANDOM, { raw: 1.5, flattened: 1.5, asMapKey: 1.3, inserted: 1.2 }),
  faster(
    'next-batch-sync',
    8,
    [batch, 'perCall'],
    [uuidv7, 'raw'],
    'nextBatchSync(1000) gives an id at least 8 times as fast as uuidv7',
  ),
  atMost('id-heap', 104, [idHeap, 'bytes'], 'an id of nextSync(), kept alone, keeps at most 104 bytes alive'),
  atMost('import', 3, [importing, 'ms'], 'importing the package takes at most 3 ms of processor time'),
];
