import { NodeRedisDriver } from './node-redis.js';
import {
  connectWithin,
  databaseRefused,
  namesDatabase,
  type OpenRedis,
  reconnectDelay,
  refusedAt,
} from './open-url.js';
import { CONNECT_TIMEOUT_MS } from './time-limits.js';

/** Opens a URL with the module `redis`. */
export async function openNodeRedis(
  { createClient }: Pick<typeof import('redis'), 'createClient'>,
  url: string,
  limitMs = CONNECT_TIMEOUT_MS,
): Promise<OpenRedis> {
  if (!namesDatabase(url)) throw databaseRefused(url);
  const client = createClient({
    url,
    name: 'ids',
    // Over RESP2 the name would be a command of its own, for which the user may lack the right.
    RESP: 3,
    // The pause before an attempt to reconnect would keep the process alive.
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });
  client.on('error', () => {
    // The first attempt to connect rejects with it, and so do calls later.
  });
  try {
    await connectWithin(url, limitMs, client);
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw await refusedAt(url, error, limitMs);
  }
  client.unref();
  const connection = new Connection(client);
  const driver = new NodeRedisDriver(client, (error) => {
    // The answer of a demoted primary: connect again, to where the name leads now.
    // The dispenser repeats the call.
    if (error.message.startsWith('READONLY')) connection.replace();
  });
  return { redis: driver, replace: () => connection.replace(), close: async () => connection.close() };
}

/** The part of a client that `Connection` needs. */
interface Reconnecting {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error', listener: () => void): unknown;
}

/** Connects a client again whose connection is gone. Nothing of that keeps the process alive. */
class Connection {
  readonly #client: Reconnecting;
  #attempts = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(client: Reconnecting) {
    this.#client = client;
    client.on('error', () => this.#connectLater());
  }

  /** Ends the connection, if there is one, and opens another. */
  replace(): boolean {
    if (!this.#client.isOpen) return false;
    this.#client.destroy();
    this.#connectLater();
    return true;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    if (this.#client.isOpen) this.#client.destroy();
  }

  /** Each attempt that fails emits an error, which leads here again. */
  #connectLater(): void {
    if (this.#closed || this.#client.isOpen || this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#client.connect().then(
          () => {
            this.#attempts = 0;
          },
          () => undefined,
        );
      },
      reconnectDelay(this.#attempts++),
    );
    this.#timer.unref();
  }
}
