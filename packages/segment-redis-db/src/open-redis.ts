import { IdError } from '@ids/core';
import type { Redis as RedisClient } from 'ioredis';
import { explainRedisError } from './redis-error.js';
import type { RedisLike } from './scripts.js';

/** Milliseconds for the first connection. */
const CONNECT_TIMEOUT_MS = 3_000;

export interface OpenRedis {
  readonly redis: RedisLike;
  /** Closes what was opened here; a client that was handed in stays open. */
  close(): Promise<void>;
}

/**
 * A client that was handed in, or a new connection to a `redis://` or `rediss://` URL, which keeps the
 * process alive only while it is opened. Rejects with `ERR_IDS_UNAVAILABLE` when nothing answers there,
 * `ERR_IDS_CONFIG` when ioredis is not installed.
 */
export async function openRedis(redis: RedisLike | string): Promise<OpenRedis> {
  if (typeof redis !== 'string') return { redis, close: async () => {} };
  const { Redis } = await import('ioredis').catch((cause) => {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'a Redis URL needs the package "ioredis": add it to your dependencies',
      { cause },
    );
  });
  const client = new Redis(redis, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: 'ids',
    // Each call has its own time limit and is repeated by the dispenser, not by the client.
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    // A primary that was demoted answers so: connect again, to where the name leads now, and repeat the call.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  const { db } = client.options;
  // ioredis makes NaN of what is no number, and SELECT NaN ends in a rejection that nobody can handle.
  if (!Number.isSafeInteger(db ?? 0)) {
    const rule = 'the database in the URL must be a whole number, 0 or more';
    throw new IdError('ERR_IDS_CONFIG', `option "redis": ${rule}, got "${new URL(redis).pathname.slice(1)}"`);
  }
  let lastError: Error | undefined;
  client.on('error', (error) => {
    lastError = error;
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw refusedAt(client.options, lastError ?? error);
  }
  letProcessEnd(client);
  return { redis: client, close: async () => client.disconnect() };
}

/**
 * From now on neither the connection nor an attempt to connect again keeps the process alive, as in a
 * `pg.Pool` with `allowExitOnIdle`. Whoever waits for a reply holds a timer of its own, which does.
 */
function letProcessEnd(client: RedisClient): void {
  client.stream.unref();
  // The socket is made after this event, within the same turn.
  client.on('connecting', () => setImmediate(() => client.stream.unref()));
  // The timer has no public name. Should it get another one, an idle process ends later,
  // while Redis is down only.
  // biome-ignore lint/complexity/useLiteralKeys: private members are reached so
  client.on('reconnecting', () => client['reconnectTimeout']?.unref());
}

function refusedAt(
  { host, port }: { host?: string | undefined; port?: number | undefined },
  cause: unknown,
): IdError {
  const explained = explainRedisError(cause);
  if (explained.code !== 'ERR_IDS_UNAVAILABLE') return explained;
  return new IdError('ERR_IDS_UNAVAILABLE', `no Redis answers at ${host}:${port}: ${describe(cause)}`, {
    cause,
  });
}

/** Some socket errors carry only a code. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
