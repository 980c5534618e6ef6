import { Redis } from 'ioredis';

/** The time limit for answers of Redis, in milliseconds. */
const WITHIN_MS = 3_000;

/** Connects to a URL for `act` alone. Rejects soon if nothing answers there. */
export async function withRedis<T>(url: string, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: WITHIN_MS,
    commandTimeout: WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    await redis.connect().catch((error: unknown) => {
      throw lost ?? error;
    });
    return await act(redis);
  } finally {
    redis.disconnect();
  }
}

/** The hash of a sequence in Redis. */
export interface RedisHash {
  /** A URL, or a client. */
  readonly redis: unknown;
  readonly key: string;
}

/** The end of the last segment that Redis got for a sequence; 0 without a hash. Changes nothing. */
export async function redisMark({ redis, key }: RedisHash): Promise<bigint> {
  const read = async (client: Pick<Redis, 'hmget'>) => {
    const [mark] = await client.hmget(key, 'm');
    return /^\d+$/.test(mark ?? '') ? BigInt(mark ?? 0) : 0n;
  };
  return typeof redis === 'string' ? withRedis(redis, read) : read(redis as Pick<Redis, 'hmget'>);
}
