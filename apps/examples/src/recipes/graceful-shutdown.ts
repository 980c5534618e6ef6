import type { AddressInfo } from 'node:net';
import { startOrderService } from '../order-service.js';

const service = await startOrderService({ cwd: process.cwd(), port: Number(process.env.PORT ?? 0) });

// The service decides what a signal means; no generator listens to one. First no more requests, then no more ids: see order-service.ts.
async function stop(): Promise<void> {
  console.log('closing');
  await service[Symbol.asyncDispose]();
  // Nothing is open any more, so the process ends by itself, with code 0.
  console.log('closed');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);

console.log(`listening on ${(service.server.address() as AddressInfo).port}`);
