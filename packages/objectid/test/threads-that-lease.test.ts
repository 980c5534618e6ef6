import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SHARED_CELLS_BYTES } from '../src/counter-position.js';
import { startWorker } from './support/issuers.js';
import type { LeaseOrder } from './support/lease-places.js';

describe('threads that lease from one counter at the same time', () => {
  it('get places of their own, and leave none out', async () => {
    const [threads, leases] = [3, 40_000];
    const script = new URL('./support/lease-places.ts', import.meta.url);
    const workers = await Promise.all(Array.from({ length: threads }, () => startWorker(script)));
    const gate = new Int32Array(new SharedArrayBuffer(8));
    const order: LeaseOrder = { buffer: new SharedArrayBuffer(SHARED_CELLS_BYTES), gate, leases };
    const answers = workers.map((worker) => once(worker, 'message'));
    for (const worker of workers) worker.postMessage(order);
    while (Atomics.load(gate, 1) < threads) await new Promise(setImmediate);
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    const ends = (await Promise.all(answers)).flatMap(([own]) => [...(own as BigUint64Array)]);
    await Promise.all(workers.map((worker) => worker.terminate()));
    ends.sort((a, b) => (a < b ? -1 : 1));
    const missing = ends.findIndex((end, index) => end !== 4_096n * BigInt(index + 1));
    expect(ends).toHaveLength(threads * leases);
    expect(missing).toBe(-1);
  });
});
