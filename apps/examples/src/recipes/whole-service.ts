import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isIdError } from '@ids/core';
import { openServiceIds } from '../open-service-ids.js';
import { healthRoutes } from './health.js';
import { closeServer } from './keep-alive.js';
import { metricsRoute } from './prometheus.js';

const { PORT = '0', HOST, DRAIN_MS = '5000' } = process.env;

// What happens to the generators becomes lines of the log, from the "logLevel" of the config on.
const ids = await openServiceIds({ logger: console });
const orderIds = ids.get('order');
const metrics = metricsRoute(ids.generators);
let draining = false;
const health = healthRoutes(ids.generators, () => draining);

const server = createServer(async (request, response) => {
  if (request.url === '/metrics') return metrics.listener(request, response);
  if (request.method !== 'POST' || request.url !== '/orders') return health(request, response);
  const reply = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    reply(201, { id: String(await orderIds.next()) });
  } catch (error) {
    // The log gets the cause, which names backends; strangers learn only whether trying again can help.
    console.error(error);
    if (!isIdError(error) || !error.retryable) return reply(500, { error: 'no id can be issued' });
    response.setHeader('retry-after', 2);
    reply(503, { error: 'no id can be issued now' });
  }
});
server.listen(Number(PORT), HOST, () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});

async function stop(): Promise<void> {
  draining = true;
  console.log('closing');
  // Load balancers go on sending requests until they have seen that this process is not ready.
  await sleep(Number(DRAIN_MS));
  await closeServer(server);
  await metrics.end();
  await ids.close();
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
