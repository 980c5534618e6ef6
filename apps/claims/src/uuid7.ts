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

const turnNext = idsProbe({
  name: 'uuid7 nextSync, clock "turn"',
  format: guarantees,
  open: async () => subjectOf(createUuid7Generator({ clock: 'turn' })),
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

const EXACT = ['next', 'nextSync()', next] as const;
const TURN = ['turn', "nextSync() with clock: 'turn'", turnNext] as const;
const UUIDV7 = ['uuidv7', 'uuidv7', uuidv7] as const;
const UUID = ['uuid', 'v7() of uuid', uuid] as const;
const RANDOM = ['random', 'crypto.randomUUID()', randomUuid] as const;

export const uuid7Claims: readonly StatedClaim[] = [
  ...usesClaims(claims, EXACT, UUIDV7, { raw: 6, flattened: 4, asMapKey: 3.5, inserted: 3 }),
  ...usesClaims(claims, EXACT, UUID, { raw: 25, flattened: 15, asMapKey: 10, inserted: 8 }),
  ...usesClaims(claims, EXACT, RANDOM, { raw: 1.5, flattened: 1.5, asMapKey: 1.3, inserted: 1.2 }),
  ...usesClaims(claims, TURN, UUIDV7, { raw: 8, flattened: 5, asMapKey: 4.5, inserted: 3.5 }),
  ...usesClaims(claims, TURN, UUID, { raw: 35, flattened: 18, asMapKey: 13, inserted: 9 }),
  ...usesClaims(claims, TURN, RANDOM, { raw: 2, flattened: 1.8, asMapKey: 1.5, inserted: 1.3 }),
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
