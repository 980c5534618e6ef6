import { createObjectIdGenerator } from '@ids/objectid';
import { memoryControl } from '../controls/memory-controls.js';
import { subjectOf } from '../subject-of.js';
import type { PackageClaims } from './probe.js';
import { batchProbe } from './probes/calls-probe.js';
import { idsProbe } from './probes/ids-probe.js';

const PACKAGE = 'objectid';
const BSON = memoryControl('bson ObjectId');
const { guarantees } = createObjectIdGenerator();
const { maxIdsPerSecond = Number.POSITIVE_INFINITY } = guarantees;

const NEXT = 'objectid nextSync';
const BATCH = 'objectid nextBatchSync(1000)';

export const objectidClaims: PackageClaims = {
  claims: [
    {
      id: 'objectid/next-sync',
      package: PACKAGE,
      text: 'nextSync() is at least 3 times as fast as new ObjectId().toHexString() of bson',
      case: { probe: NEXT, figure: 'raw' },
      control: { probe: BSON.name, figure: 'raw' },
      direction: 'at least',
      threshold: 3,
    },
    {
      id: 'objectid/next-sync-map-key',
      package: PACKAGE,
      text: 'nextSync() is at least 2 times as fast as bson when each id is put into a Map',
      case: { probe: NEXT, figure: 'asMapKey' },
      control: { probe: BSON.name, figure: 'asMapKey' },
      direction: 'at least',
      threshold: 2,
    },
    {
      id: 'objectid/next-batch-sync',
      package: PACKAGE,
      text: 'nextBatchSync(1000) gives an id at least 10 times as fast as bson',
      case: { probe: BATCH, figure: 'perCall' },
      control: { probe: BSON.name, figure: 'raw' },
      direction: 'at least',
      threshold: 10,
    },
  ],
  probes: [
    idsProbe({
      name: NEXT,
      format: guarantees,
      maxIdsPerSecond,
      open: async () => subjectOf(createObjectIdGenerator()),
    }),
    batchProbe({
      name: BATCH,
      maxIdsPerSecond,
      async open() {
        const generator = createObjectIdGenerator();
        return { batch: (count) => generator.nextBatchSync(count) };
      },
    }),
    idsProbe(BSON),
  ],
};
