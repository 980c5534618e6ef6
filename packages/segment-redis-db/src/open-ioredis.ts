import { isIdError } from '@ids/core';
import type { Redis as RedisClient } from 'ioredis';
import {
  connectWithin,
  databaseRefused,
  namesDatabase,
  type OpenRedis,
  reconnectDelay,
  refusedAt,
} from './open-url.js';
import { CONNECT_TIMEOUT_MS } from './time-limits.js';

/** Opens a URL with the module `ioredis`. */
export async function openIoredis(
  { Redis }: Pick<typeof import('ioredis'), 'Redis'>,
  url: string,
  limitMs = CONNECT_TIMEOUT_MS,
): Promise<OpenRedis> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: 'ids',
    // Each call has its own time limit, and the dispenser repeats it, not the client.
    maxRetriesPerRequest: 1,
    retryStrategy: reconnectDelay,
    // The answer of a demoted primary: connect again, to where the name leads now, and repeat the call.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  const { db } = client.options;
  // ioredis makes NaN of anything but a number, and SELECT NaN ends in a rejection that nobody can handle.
  if (!namesDatabase(url) || !Number.isSafeInteger(db ?? 0)) throw databaseRefused(url);
  let lastError: Error | undefined;
  let opened = false;
  client.on('error', (error: Error & { readonly command?: { readonly name: string } }) => {
    lastError = error;
    // A later server, or lost rights: ioredis would go on with database 0, where another hash has ids.
    if (opened && error.command?.name === 'select') client.disconnect(true);
  });
  try {
    await connectWithin(url, limitMs, client);
  } catch (error) {
    client.disconnect();
    throw await refusedAt(url, isIdError(error) ? error : (lastError ?? error), limitMs);
  }
  opened = true;
  letProcessEnd(client);
  const replace = (): boolean => {
    if (client.status !== 'ready' && client.status !== 'connect') return false;
    // Not `disconnect`, which would first wait for the other end to close.
    client.stream.destroy();
    return true;
  };
  return { redis: client, replace, close: async () => client.disconnect() };
}

/**
 * From now on neither the connection nor an attempt to reconnect keeps the process alive, as in a `pg.Pool`
 * with `allowExitOnIdle`. A call that waits for a reply has a timer of its own, which does.
 */
function letProcessEnd(client: RedisClient): void {
  client.stream.unref();
  // The socket is created after this event, in the same turn.
  client.on('connecting', () => setImmediate(() => client.stream.unref()));
  // The timer has no public name. If it is renamed, an idle process ends later, but only while Redis is down.
  // biome-ignore lint/complexity/useLiteralKeys: this is how a private member is accessed
  client.on('reconnecting', () => client['reconnectTimeout']?.unref());
}
