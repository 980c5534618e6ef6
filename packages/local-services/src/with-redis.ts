import { Redis } from 'ioredis';

const timeoutMs = 5_000;

/**
 * Runs `use` with a separate connection, opened and closed here. Makes one attempt with at most 5 s per step,
 * and rejects with the reason of the first failure.
 */
export async function withRedis<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    // A connection that failed keeps the process alive for this long.
    disconnectTimeout: 50,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
  });
  // The rejection of connect() says only that the connection is closed; the preceding event has the reason.
  let reason: unknown;
  client.on('error', (error) => {
    reason ??= error;
  });
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}
