import { Redis } from 'ioredis';
import { type Check, checked, clockCheck } from './check.js';

/** Milliseconds for a Redis to answer. */
const WITHIN_MS = 3_000;

/** Whether the server at `url` answers, as what, and whether its clock agrees. Nothing in it is changed. */
export async function redisChecks(url: string): Promise<Check[]> {
  return checked('redis', async () => {
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
      const before = Date.now();
      const [seconds, micros] = await redis.time();
      const clock = clockCheck('redis', Number(seconds) * 1_000 + Number(micros) / 1_000, before, Date.now());
      return [await serverCheck(redis), clock];
    } finally {
      redis.disconnect();
    }
  });
}

async function serverCheck(redis: Redis): Promise<Check> {
  const info = await redis.info();
  const field = (name: string): string =>
    new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? 'unknown';
  const [role, policy] = [field('role'), field('maxmemory_policy')];
  const about = `Redis ${field('redis_version')}, ${role}, eviction ${policy}`;
  if (role === 'slave') return { what: 'redis', status: 'wrong', detail: `${about}: a replica gives no ids` };
  if (policy !== 'noeviction' && policy !== 'unknown') {
    return {
      what: 'redis',
      status: 'warning',
      detail: `${about}: an evicted sequence costs a segment each time`,
    };
  }
  return { what: 'redis', status: 'ok', detail: about };
}
