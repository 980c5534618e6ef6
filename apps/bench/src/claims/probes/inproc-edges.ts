import { createHistogram } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { isIdError, type SyncIdGenerator } from '@ids/core';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentGenerator } from '@ids/segment-inproc';
import type { ProbeCase } from '../claim.js';
import { slowSource } from './slow-source.js';
import { nowNs } from './timed-blocks.js';

const SOURCE_MS = 5;
const STEP = 100_000;
/** Until the step has grown to its full size. */
const SETTLING_IDS = 5 * STEP;
/** Calls between two turns of the event loop, on which a segment can arrive. */
const CALLS_PER_TURN = 5;

/**
 * Segments of 100,000 ids from a source 5 ms away, with five calls per turn of the event loop. Figures:
 * `waits`, the calls of `nextSync` that found nothing; `p50` and `p999` of `next`.
 */
export function inprocEdges(name: string): ProbeCase {
  return {
    name,
    backends: [],
    async open() {
      const source = slowSource(new MemorySegmentSource({ order: {} }), SOURCE_MS);
      const generator = await createSegmentGenerator({ name: 'order', source, maxStep: STEP });
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

/** Of calls in the same rhythm; figures in nanoseconds. */
async function latencies(call: () => Promise<unknown>, ms: number): Promise<{ p50: number; p999: number }> {
  const latency = createHistogram({ lowest: 1, highest: 60_000_000_000, figures: 3 });
  for (const end = performance.now() + ms; performance.now() < end; await turn()) {
    for (let n = 0; n < CALLS_PER_TURN; n++) {
      const asked = nowNs();
      await call();
      latency.record(Math.max(1, Number(nowNs() - asked)));
    }
  }
  return { p50: latency.percentile(50), p999: latency.percentile(99.9) };
}

/**
 * Latencies of a call that has nothing to do: what Node, its garbage collector and the machine
 * cost. Figures: `p50`, `p999`.
 */
export function latencyFloor(name: string): ProbeCase {
  return {
    name,
    backends: [],
    open: async () => ({ measure: (ms) => latencies(async () => 7, ms / 2), close: async () => {} }),
  };
}
