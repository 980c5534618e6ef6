import { createServer, type Server } from 'node:http';
import type { Environment } from '@ids/config';
import { isIdError } from '@ids/core';
import { openServiceIds } from './open-service-ids.js';

export interface OrderServiceOptions {
  /** The folder that holds `ids.config.*`: the only place that knows which strategy makes order ids. */
  readonly cwd: string;
  readonly environment?: Environment;
  /** 0 takes a free one. */
  readonly port?: number;
}

export interface OrderService extends AsyncDisposable {
  readonly server: Server;
}

/**
 * A service of two routes: `POST /orders` makes an order with an id of its own, `GET /health` tells how the id generator is.
 * Written once, for every strategy.
 */
export async function startOrderService({
  cwd,
  environment,
  port = 0,
}: OrderServiceOptions): Promise<OrderService> {
  const ids = await openServiceIds({ cwd, ...(environment && { environment }) });
  const orderIds = ids.get('order');

  const server = createServer(async (request, response) => {
    const reply = (status: number, body: unknown): void => {
      // Else a client that keeps its connection busy would keep the service from ending.
      if (!server.listening) response.setHeader('connection', 'close');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    try {
      if (request.url === '/health') return reply(200, orderIds.health());
      // A JSON number is exact up to 2^53 - 1, where sequences end; as text it fits every strategy.
      if (request.method === 'POST') return reply(201, { id: String(await orderIds.next()) });
      reply(404, { error: 'POST /orders or GET /health' });
    } catch (error) {
      // Whoever asked may try again: the strategy says whether that can help.
      const retryable = isIdError(error) && error.retryable;
      reply(retryable ? 503 : 500, { error: error instanceof Error ? error.message : String(error) });
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    server,
    // First no more requests, then no more ids.
    [Symbol.asyncDispose]: async () => {
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      await ids.close();
    },
  };
}
