// What runs in each worker thread: it leases from shared cells as fast as it can, and reports what it got.
import { parentPort } from 'node:worker_threads';
import { CounterPosition, sharedCells } from '../../src/counter-position.js';

export interface LeaseOrder {
  readonly buffer: SharedArrayBuffer;
  /** Opened by the parent once all threads wait at it. */
  readonly gate: Int32Array;
  readonly leases: number;
}

parentPort?.on('message', ({ buffer, gate, leases }: LeaseOrder) => {
  const position = new CounterPosition(sharedCells(buffer));
  Atomics.add(gate, 1, 1);
  Atomics.wait(gate, 0, 0);
  const ends = new BigUint64Array(leases);
  for (let index = 0; index < leases; index++) ends[index] = position.lease(0, 1_000).end;
  parentPort?.postMessage(ends);
});
parentPort?.postMessage('ready');
