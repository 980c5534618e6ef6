import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FREE, FURTHEST, localCells, SHARED_CELLS_BYTES, sharedCells } from '../src/position-cells.js';
import { startWorker } from './support/issuers.js';
import type { LeaseOrder } from './support/lease-places.js';

describe.each([
  ['of one thread', localCells],
  ['shared by threads', () => sharedCells(new SharedArrayBuffer(SHARED_CELLS_BYTES))],
])('cells %s', (_, newCells) => {
  it('hold 0 at first, and are written only by whoever knows what they hold', () => {
    const cells = newCells();
    expect([cells.load(FREE), cells.load(FURTHEST)]).toEqual([0n, 0n]);
    expect(cells.replace(FREE, 0n, 2n ** 56n)).toBe(true);
    expect(cells.replace(FREE, 0n, 7n)).toBe(false);
    expect([cells.load(FREE), cells.load(FURTHEST)]).toEqual([2n ** 56n, 0n]);
  });
});

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
