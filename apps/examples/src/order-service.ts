import { createServer, type Server } from 'node:http';
import type { Environment } from '@ids/config';
import { isIdError } from '@ids/core';
import { openServiceIds } from './open-service-ids.js';
import { isServing } from './recipes/health.js';

export interface OrderServiceOptions {
  /** The folder that holds `ids.config.*`: the only place that knows which strategy makes order ids. */
  readonly cwd: string;
  readonly environment?: Environment;
  /** 0 takes a free one. */
  readonly port?: number;
  /** The address to listen on; without it all of them, since a kubelet asks at the address of the pod. */
  readonly host?: string | undefined;
}

export interface OrderService extends AsyncDisposable {
  readonly server: Server;
  /**
   * From now on `GET /readyz` answers 503, so that no more requests are sent here; those that come
   * are served all the same.
   */
  drain(): void;
}

/** Seconds after which it is worth trying again: backends that fail over take about as long. */
const RETRY_AFTER_S = 2;

/**
 * A service of three routes: `POST /orders` makes an order with an id of its own, `GET /livez` says that it
 * runs, and `GET /readyz` whether to send requests here. Written once, for every strategy.
 */
export async function startOrderService({
  cwd,
  environment,
  port = 0,
  host,
}: OrderServiceOptions): Promise<OrderService> {
  const ids = await openServiceIds({ cwd, ...(environment && { environment }) });
  const orderIds = ids.get('order');
  let draining = false;

  const server = createServer(async (request, response) => {
    const reply = (status: number, body: unknown): void => {
      // Else a client that keeps its connection busy would keep the service from ending.
      if (!server.listening) response.setHeader('connection', 'close');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    try {
      if (request.url === '/livez') return reply(200, { status: 'ok' });
      if (request.url === '/readyz') {
        const ready = !draining && (await isServing(orderIds));
        return reply(ready ? 200 : 503, { ready });
      }
      // A JSON number is exact up to 2^53 - 1, where sequences end; as a string it fits every strategy.
      if (request.method === 'POST') return reply(201, { id: String(await orderIds.next()) });
      reply(404, { error: 'POST /orders, GET /livez or GET /readyz' });
    } catch (error) {
      // The log gets the cause; strangers learn only whether trying again can help, which the strategy says.
      console.error(error);
      const retryable = isIdError(error) && error.retryable;
      if (retryable) response.setHeader('retry-after', RETRY_AFTER_S);
      reply(retryable ? 503 : 500, { error: retryable ? 'no id can be issued now' : 'no id can be issued' });
    }
  });
  await new Promise<void>((resolve) => server.listen({ port, host }, resolve));

  return {
    server,
    drain: () => {
      draining = true;
    },
    // First no more requests, then no more ids.
    [Symbol.asyncDispose]: async () => {
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      await ids.close();
    },
  };
}
