import type { Server } from 'node:http';
import type { HeldIds } from '@ids/config/plugin';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';

/** How often to look for connections that have become idle, in milliseconds. */
const LOOK_EVERY_MS = 100;

/** Its hooks surround the end of the HTTP server, so that requests under way still get their ids. */
export class IdsHost implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly held: HeldIds;
  readonly #http: HttpAdapterHost;

  constructor(held: HeldIds, http: HttpAdapterHost) {
    this.held = held;
    this.#http = http;
  }

  /** Nest would wait for clients that keep their connections busy. Without HTTP, there is no adapter. */
  beforeApplicationShutdown(): void {
    const server: Partial<Server> | undefined = this.#http.httpAdapter?.getHttpServer();
    // That of HTTP/2 has no connections of this kind.
    if (server?.closeIdleConnections !== undefined) endKeepAlive(server as Server);
  }

  onApplicationShutdown(): Promise<void> {
    return this.held.release();
  }
}

/**
 * Has a server that is about to close end its connections: each with its next answer, and idle ones at once.
 * Otherwise `close` waits until all clients leave theirs alone, which under load is when the load ends.
 */
function endKeepAlive(server: Server): void {
  // Before the handler of the framework, which sends the headers.
  server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  server.once('close', () => clearInterval(looking));
}
