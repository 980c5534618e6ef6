import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOrderService } from '../order-service.js';

const { PORT, HOST } = process.env;
const service = await startOrderService({ cwd: process.cwd(), port: Number(PORT ?? 0), host: HOST });

/**
 * Milliseconds that Kubernetes and its load balancers may need until they send no more requests to
 * a pod that is not ready.
 */
const drainMs = Number(process.env.DRAIN_MS ?? 5_000);

// The service decides what a signal means; no generator listens to one. First no more requests, then no more
// ids: see order-service.ts.
async function stop(): Promise<void> {
  console.log('closing');
  // A pod still gets requests for some seconds after SIGTERM; refusing them would cause errors.
  service.drain();
  await sleep(drainMs);
  await service[Symbol.asyncDispose]();
  // Nothing is open any more, so the process exits on its own, with code 0.
  console.log('closed');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);

console.log(`listening on ${(service.server.address() as AddressInfo).port}`);
