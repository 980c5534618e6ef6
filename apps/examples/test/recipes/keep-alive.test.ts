import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { IdsModule } from '@ids/nestjs';
import { uuid7 } from '@ids/uuid7';
import { NestFactory } from '@nestjs/core';
import express, { type RequestHandler } from 'express';
import { expect, it } from 'vitest';
import { closeServer } from '../../src/recipes/keep-alive.js';

/** More than come while a server closes. */
const MOST_REQUESTS = 2_000;

/** A handler that calls `close` while it has a request; `first` says whether that or the load ended first. */
function closing(close: () => Promise<unknown>) {
  let closed: Promise<string> | undefined;
  let listening = (): boolean => true;
  const handler: RequestHandler = async (_, response) => {
    closed ??= close().then(() => 'closed');
    // So the first request is under way when the server closes, and its connection is not idle.
    while (listening()) await nextTurn();
    response.send('here');
  };
  /** Asks again as soon as it has an answer, on one connection. */
  const first = async (server: Server) => {
    listening = () => server.listening;
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const load = async () => {
      for (let asked = 0; asked < MOST_REQUESTS; asked++) {
        const request = get({ host: '127.0.0.1', port, agent });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        await text(response);
      }
      return 'the load ended';
    };
    // Once its connection has ended, the next one is refused.
    return load().catch(() => closed);
  };
  return { handler, first };
}

it('Express, like all on an HTTP server of Node.js, closes while its clients go on', async () => {
  const { handler, first } = closing(() => closeServer(server));
  const server = express().use(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(await first(server)).toBe('closed');
});

it('Nest closes while its clients go on', async () => {
  const config = { generators: { order: { strategy: 'uuid7' } } };
  class AppModule {}
  const module = { module: AppModule, imports: [IdsModule.forRoot({ strategies: [uuid7], config })] };
  const app = await NestFactory.create(module, { logger: false });
  const { handler, first } = closing(() => app.close());
  app.use(handler);
  await app.listen(0, '127.0.0.1');
  expect(await first(app.getHttpServer())).toBe('closed');
});
