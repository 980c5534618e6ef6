import { MemorySegmentSource } from '@ids/segment';
import { createSegmentGenerator } from '@ids/segment-inproc';
import { subjectOf } from '../bench-case.js';
import { memoryControl } from '../controls/memory-controls.js';
import type { PackageClaims } from './claim.js';
import { awaitsProbe, batchProbe } from './probes/calls-probe.js';
import { idsProbe } from './probes/ids-probe.js';
import { inprocEdges, latencyFloor } from './probes/inproc-edges.js';

const PACKAGE = 'segment-inproc';
const COUNTER = memoryControl('empty loop');

const NEXT_SYNC = 'segment-inproc nextSync';
const BATCH = 'segment-inproc nextBatchSync(1000)';
const FILL = 'array filled from a counter';
const NEXT = 'await segment-inproc next';
const CONSTANT = 'await an async function of a constant';
const FLOOR = 'async function of a constant, same rhythm';
const EDGES = 'segment-inproc, source 5 ms away';

/** A source in memory and large segments: what is timed is the buffer and nothing behind it. */
function open() {
  const source = new MemorySegmentSource({ order: {} });
  return createSegmentGenerator({ name: 'order', source, minStep: 1_000_000, maxStep: 1_000_000 });
}

export const segmentInprocClaims: PackageClaims = {
  claims: [
    {
      id: 'segment-inproc/next-sync',
      package: PACKAGE,
      text: 'nextSync() is at least half as fast as a bare counter in a closure',
      case: { probe: NEXT_SYNC, figure: 'raw' },
      control: { probe: COUNTER.name, figure: 'raw' },
      direction: 'at least',
      threshold: 0.5,
    },
    {
      id: 'segment-inproc/next-batch-sync',
      package: PACKAGE,
      text: 'nextBatchSync(1000) costs at most twice what it takes to fill an array from a counter',
      case: { probe: BATCH, figure: 'perCall' },
      control: { probe: FILL, figure: 'perCall' },
      direction: 'at most',
      threshold: 2,
    },
    {
      id: 'segment-inproc/next',
      package: PACKAGE,
      text: 'await next() costs at most 1.3 times what awaiting an async function of a constant does',
      case: { probe: NEXT, figure: 'perCall' },
      control: { probe: CONSTANT, figure: 'perCall' },
      direction: 'at most',
      threshold: 1.3,
    },
    {
      id: 'segment-inproc/edge-waits',
      package: PACKAGE,
      text: 'no call waits at a segment edge while the source is 5 ms away',
      case: { probe: EDGES, figure: 'waits' },
      direction: 'at most',
      threshold: 0,
    },
    {
      id: 'segment-inproc/edge-latency',
      package: PACKAGE,
      text: 'with the source 5 ms away, p99.9 of next() is at most 3 times that of an async function of a constant',
      case: { probe: EDGES, figure: 'p999' },
      control: { probe: FLOOR, figure: 'p999' },
      direction: 'at most',
      threshold: 3,
    },
  ],
  probes: [
    idsProbe({
      name: NEXT_SYNC,
      format: COUNTER.format,
      open: async () => subjectOf(await open()),
    }),
    batchProbe({
      name: BATCH,
      async open() {
        const generator = await open();
        return { batch: (count) => generator.nextBatchSync(count), ready: () => generator.ready() };
      },
    }),
    batchProbe({
      name: FILL,
      async open() {
        let last = 0;
        const batch = (count: number) => {
          const ids = new Array<number>(count);
          for (let i = 0; i < count; i++) ids[i] = ++last;
          return ids;
        };
        return { batch };
      },
    }),
    awaitsProbe({
      name: NEXT,
      async open() {
        const generator = await open();
        return () => generator.next();
      },
    }),
    awaitsProbe({
      name: CONSTANT,
      async open() {
        return async () => 7;
      },
    }),
    inprocEdges(EDGES),
    latencyFloor(FLOOR),
    idsProbe(COUNTER),
  ],
};
