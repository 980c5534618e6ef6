import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { memoryControl, noLatencies, percentile, record, subjectOf } from '@ids/bench/measure';
import { isIdError, type SyncIdGenerator } from '@ids/core';
import { MemorySegmentSource, type SegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { claimsOf, type StatedClaim } from './claim.js';
import { awaitsProbe, batchProbe } from './probes/calls.js';
import { idsProbe } from './probes/ids.js';
import { nowNs, type ProbeCase } from './probes/probe.js';

/** A source in memory and large segments, so that only the buffer is timed. */
function open() {
  const source = new MemorySegmentSource({ order: {} });
  return createSegmentInprocGenerator({ name: 'order', source, minStep: 1_000_000, maxStep: 1_000_000 });
}

const emptyLoop = memoryControl('empty loop');
const counter = idsProbe(emptyLoop);

const nextSync = idsProbe({
  name: 'segment-inproc nextSync',
  format: emptyLoop.format,
  open: async () => subjectOf(await open()),
});

const batch = batchProbe({
  name: 'segment-inproc nextBatchSync(1000)',
  async open() {
    const generator = await open();
    return { batch: (count) => generator.nextBatchSync(count), ready: () => generator.ready() };
  },
});

const fill = batchProbe({
  name: 'array filled from a counter',
  async open() {
    let last = 0;
    const batch = (count: number) => {
      const ids = new Array<number>(count);
      for (let i = 0; i < count; i++) ids[i] = ++last;
      return ids;
    };
    return { batch };
  },
});

const next = awaitsProbe({
  name: 'await segment-inproc next',
  async open() {
    const generator = await open();
    return () => generator.next();
  },
});

const constant = awaitsProbe({
  name: 'await an async function of a constant',
  open: async () => async () => 7,
});

/** `source` with `ms` milliseconds added to each round trip. */
export function slowSource(source: SegmentSource, ms: number): SegmentSource {
  return {
    describe: (name, options) => source.describe(name, options),
    async reserve(name, size, options) {
      const segment = await source.reserve(name, size, options);
      await delay(ms);
      return segment;
    },
    close: () => source.close(),
  };
}

const SOURCE_MS = 5;
const STEP = 100_000;
/** Ids until the step has grown to its full size. */
const SETTLING_IDS = 5 * STEP;
/** Calls between two turns of the event loop, on which a segment can arrive. */
const CALLS_PER_TURN = 5;

/**
 * Segments of 100,000 ids from a source 5 ms away, with five calls per turn of the event loop. Figures:
 * `waits`, the calls of `nextSync` that found no id; `p50` and `p999` of `next`.
 */
function inprocEdges(name: string): ProbeCase {
  return {
    name,
    backends: [],
    async open() {
      const source = slowSource(new MemorySegmentSource({ order: {} }), SOURCE_MS);
      const generator = await createSegmentInprocGenerator({ name: 'order', source, maxStep: STEP });
      return {
        async measure(ms) {
          for (let taken = 0; taken < SETTLING_IDS; taken += 1_000) await generator.nextBatch(1_000);
          return {
            waits: await countWaits(generator, ms / 2),
            ...(await latencies(() => generator.next(), ms / 2)),
          };
        },
        close: () => generator.close(),
      };
    },
  };
}

async function countWaits(generator: SyncIdGenerator, ms: number): Promise<number> {
  let waits = 0;
  for (const end = performance.now() + ms; performance.now() < end; await turn()) {
    for (let call = 0; call < CALLS_PER_TURN; call++) {
      try {
        generator.nextSync();
      } catch (error) {
        if (!isIdError(error) || error.code !== 'ERR_IDS_NOT_READY') throw error;
        waits++;
        await generator.ready();
      }
    }
  }
  return waits;
}

/** Of calls in the same rhythm, in nanoseconds. */
async function latencies(call: () => Promise<unknown>, ms: number): Promise<{ p50: number; p999: number }> {
  const found = noLatencies();
  for (const end = performance.now() + ms; performance.now() < end; await turn()) {
    for (let n = 0; n < CALLS_PER_TURN; n++) {
      const asked = nowNs();
      await call();
      record(found, Number(nowNs() - asked));
    }
  }
  return { p50: percentile(found, 50) ?? 0, p999: percentile(found, 99.9) ?? 0 };
}

/**
 * Latencies of a call that does nothing: the cost of Node.js, its garbage collector and the machine. Figures:
 * `p50`, `p999`.
 */
function latencyFloor(name: string): ProbeCase {
  return {
    name,
    backends: [],
    open: async () => ({ measure: (ms) => latencies(async () => 7, ms / 2) }),
  };
}

const edges = inprocEdges('segment-inproc, source 5 ms away');
const { atMostTimes, faster, never } = claimsOf('segment-inproc');

export const segmentInprocClaims: readonly StatedClaim[] = [
  faster(
    'next-sync',
    0.5,
    [nextSync, 'raw'],
    [counter, 'raw'],
    'nextSync() is at least half as fast as a bare counter in a closure',
  ),
  atMostTimes(
    'next-batch-sync',
    2,
    [batch, 'perCall'],
    [fill, 'perCall'],
    'nextBatchSync(1000) costs at most twice what it takes to fill an array from a counter',
  ),
  atMostTimes(
    'next',
    1.3,
    [next, 'perCall'],
    [constant, 'perCall'],
    'await next() costs at most 1.3 times what awaiting an async function of a constant does',
  ),
  never('edge-waits', [edges, 'waits'], 'no call waits at a segment edge while the source is 5 ms away'),
  atMostTimes(
    'edge-latency',
    3,
    [edges, 'p999'],
    [latencyFloor('async function of a constant, same rhythm'), 'p999'],
    'with the source 5 ms away, p99.9 of next() is at most 3 times that of an async function of a constant',
  ),
];
