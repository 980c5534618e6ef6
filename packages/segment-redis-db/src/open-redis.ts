import { IdError } from '@ids/core';
import type { Redis as RedisClient } from 'ioredis';
import { explainRedisError } from './redis-error.js';
import type { RedisLike } from './scripts.js';

/** The time limit of the first connection. */
const CONNECT_TIMEOUT_MS = 3_000;

export interface OpenRedis {
  readonly redis: RedisLike;
  /** Closes what was opened here; a client of the caller stays open. */
  close(): Promise<void>;
}

/**
 * The client of the caller, or a new connection to a `redis://` or `rediss://` URL, which keeps the process
 * alive only while it is being opened. Rejects with `ERR_IDS_UNAVAILABLE` if nothing answers there, and with
 * `ERR_IDS_CONFIG` if ioredis is not installed.
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
    // Each call has its own time limit, and the dispenser repeats it, not the client.
    maxRetriesPerRequest: 1,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    // The answer of a demoted primary: connect again, to where the name leads now, and repeat the call.
    reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
  });
  const { db } = client.options;
  // ioredis makes NaN of anything but a number, and SELECT NaN ends in a rejection that nobody can handle.
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

/** Some socket errors have only a code. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
