import { Redis } from 'ioredis';

const timeoutMs = 5_000;

/**
 * Runs `use` with a connection of its own, opened and closed here. One attempt, each step at most 5 s:
 * rejects with the reason of the first failure.
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
  // The rejection of connect() says only that the connection is closed; the event before it says why.
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
