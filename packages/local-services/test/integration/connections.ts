import { Redis } from 'ioredis';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** A client that never reconnects by itself, closed after the test. */
export function redisClient(url: string): Redis {
  const client = new Redis(url, {
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    disconnectTimeout: 50,
  });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

/** A client that is closed after the test, if the server has not done that. */
export async function pgClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}
