import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

/** What serves requests. */
export interface Listener {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /**
   * Accepts nothing more, and waits until everything that was accepted is answered, for at most `ms`
   * milliseconds. Then calls `giveUp`, which should make the rest fail, and ends what is open a second later.
   * Resolves with whether everything was answered in time.
   */
  drain(ms: number, giveUp: () => Promise<void>): Promise<boolean>;
}

/** What one client can hold of a server; times in milliseconds. */
interface ConnectionLimits {
  /** Within this time, the headers of a request must have arrived, also the first ones of a connection. */
  readonly headersMs: number;
  /** The same for the whole request. */
  readonly requestMs: number;
  /** How often the two are checked. */
  readonly checkMs: number;
  /** A connection on which nothing has moved for so long is closed: its client does not read the answer. */
  readonly idleMs: number;
  /** Connections beyond so many are closed at once. */
  readonly connections: number;
}

/** `idleMs` is more than the longest time that a request may wait for ids. */
const LIMITS: ConnectionLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 2_000,
  idleMs: 60_000,
  connections: 10_000,
};
/** What is left to answers once the generators were closed, in milliseconds. */
const LAST_ANSWERS_MS = 1_000;

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits?: Partial<ConnectionLimits>;
}

/** Starts to listen. Rejects if the address cannot be used. */
export async function listen(
  fetch: (request: Request) => Promise<Response>,
  { host, port, limits = {} }: ListenOptions,
): Promise<Listener> {
  const { headersMs, requestMs, checkMs, idleMs, connections } = { ...LIMITS, ...limits };
  let draining = false;
  const answer = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    // Otherwise a client sends its next request on a connection that is about to end.
    if (draining) response.headers.set('connection', 'close');
    return response;
  };
  const server = createAdaptorServer({
    fetch: answer,
    serverOptions: {
      requestTimeout: requestMs,
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
    },
  }) as Server;
  server.timeout = idleMs;
  server.maxConnections = connections;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, family, port: own } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${own}`;
  return {
    url,
    async drain(ms, giveUp) {
      draining = true;
      const closed = once(server, 'close').then(() => true);
      server.close();
      if (await within(closed, ms)) return true;
      await giveUp();
      await within(closed, LAST_ANSWERS_MS);
      server.closeAllConnections();
      await closed;
      return false;
    },
  };
}

/** Whether `done` resolves within `ms` milliseconds. */
async function within(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer));
}
