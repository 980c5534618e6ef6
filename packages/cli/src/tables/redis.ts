import { Redis } from 'ioredis';
import { within } from './within.js';

/** The time limit for Redis to answer all that is asked at once, in milliseconds. */
const WITHIN_MS = 3_000;

/** Connects to a URL for `act` alone. Rejects soon if nothing answers there. */
export async function withRedis<T>(url: string, act: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | undefined;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    const { hostname, port } = new URL(url);
    return await within(`Redis at ${hostname}:${port || 6379}`, WITHIN_MS, async () => {
      await redis.connect().catch((error: unknown) => {
        throw lost ?? error;
      });
      return act(redis);
    });
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

/** A client of ioredis, or one of node-redis, which spells these methods in another way. */
type Reader =
  | Pick<Redis, 'hmget' | 'mget'>
  | {
      hmGet(key: string, field: string): Promise<(string | null)[]>;
      mGet(keys: readonly string[]): Promise<(string | null)[]>;
    };

/** The end of the last segment that Redis got for a sequence; 0 without a hash. Changes nothing. */
export function redisMark({ redis, key }: RedisHash): Promise<bigint> {
  return reading(redis, async (client) => {
    const [mark] = await ('hmGet' in client ? client.hmGet(key, 'm') : client.hmget(key, 'm'));
    return mark;
  });
}

/** The reigns of the database that Redis has heard of for a sequence. Changes nothing. */
export async function redisReigns({ redis, key }: RedisHash): Promise<readonly string[]> {
  const read = async (client: Reader) =>
    (await ('hmGet' in client ? client.hmGet(key, 'rs') : client.hmget(key, 'rs')))[0];
  const names = await readFrom(redis, read);
  return names ? names.split(',') : [];
}

/** How long Redis is searched, in milliseconds: about a million keys. */
const SEARCH_MS = 2_000;
/** How many keys Redis looks at in one command, which others wait for: about a millisecond. */
const SEARCH_COUNT = 1_000;

/**
 * The keys of other hashes of the same sequence, known by their `realm`: only the prefix differs. Also
 * why some may be missing. Searches only where a URL leads: a client may be of a Cluster. Changes nothing.
 */
export async function otherHashes(
  { redis: url, key }: RedisHash,
  realm: string | undefined,
): Promise<{ readonly keys: readonly string[]; readonly unread?: string }> {
  if (typeof url !== 'string' || realm === undefined) return { keys: [] };
  const pattern = `*${key.slice(key.indexOf('{')).replace(/[*?[\]\\]/g, '\\$&')}`;
  return withRedis(url, async (redis) => {
    const endsAt = performance.now() + SEARCH_MS;
    const keys: string[] = [];
    let cursor = '0';
    do {
      const [next, some] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', SEARCH_COUNT);
      for (const other of some) {
        // A string of that name, say.
        const [owner] = await redis.hmget(other, 'r').catch(() => []);
        if (other !== key && owner === realm) keys.push(other);
      }
      cursor = next;
    } while (cursor !== '0' && performance.now() < endsAt);
    return cursor === '0'
      ? { keys }
      : { keys, unread: `it has more keys than ${SEARCH_MS} ms are enough for` };
  });
}

/** The mark of a record, whose key may contain anything: family.lua of `segment-redis-db` has its form. */
const MARK = / [0-9a-f]{16} (\d+) \d+ \d+ \d+ \S+ \d+(?: \d+!)?$/;

/** The same of one key of a family. */
export function recordMark({ redis, key }: RedisHash): Promise<bigint> {
  return reading(redis, async (client) => {
    const [record] = await ('mGet' in client ? client.mGet([key]) : client.mget(key));
    return MARK.exec(record ?? '')?.[1];
  });
}

function readFrom<T>(redis: unknown, read: (client: Reader) => Promise<T>): Promise<T> {
  return typeof redis === 'string'
    ? withRedis(redis, read)
    : within('the Redis client', WITHIN_MS, () => read(redis as Reader));
}

async function reading(
  redis: unknown,
  read: (client: Reader) => Promise<string | null | undefined>,
): Promise<bigint> {
  const found = await readFrom(redis, read);
  return /^\d+$/.test(found ?? '') ? BigInt(found ?? 0) : 0n;
}
