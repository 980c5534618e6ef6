import { type RedisClient, serverFacts } from '@ids/segment-redis-db';
import type { SqlExecutor } from '@ids/store';
import type { Redis } from 'ioredis';
import { dialectOf } from '../dialects/any-dialect.js';
import { redisFacts } from '../platforms/redis-platforms.js';
import { type RedisHash, withRedis } from '../tables/redis.js';
import { type Check, checked, clockCheck } from './check.js';
import { redisPlatformCheck } from './platform-checks.js';

/**
 * Checks whether the server answers to which a URL or a client leads, in which role, and whether its clock
 * agrees. Changes nothing in it.
 */
export async function redisChecks({ redis, key }: RedisHash): Promise<Check[]> {
  return checked('redis', async () => {
    const before = Date.now();
    const { now, info } = await (typeof redis === 'string'
      ? withRedis(redis, factsOf)
      : serverFacts(redis as RedisClient, key));
    const server = serverCheck(info, typeof redis === 'string');
    const clock = now === undefined ? [] : [clockCheck('redis', now, before, Date.now())];
    return [server, redisPlatformCheck(info), ...clock];
  });
}

/** Not by a script: what is refused may have none. */
async function factsOf(redis: Redis): Promise<{ readonly info: string; readonly now: number | undefined }> {
  const [time, info] = await Promise.allSettled([redis.time(), redis.info()]);
  if (info.status === 'rejected') throw info.reason;
  // A Sentinel has no such command.
  if (time.status === 'rejected') return { info: info.value, now: undefined };
  const [seconds, micros] = time.value;
  return { info: info.value, now: Number(seconds) * 1_000 + Number(micros) / 1_000 };
}

function serverCheck(info: string, byUrl: boolean): Check {
  const facts = redisFacts(info);
  const field = (name: string): string => String(facts[name] ?? 'unknown');
  const [role, policy] = [field('role'), field('maxmemory_policy')];
  const about = `Redis ${field('redis_version')}, ${role}, eviction ${policy}`;
  if (role === 'slave')
    return { what: 'redis', status: 'wrong', detail: `${about}: a replica issues no IDs` };
  const mode = field('redis_mode');
  if (mode === 'sentinel') {
    const detail = 'a Sentinel issues no IDs: pass a client that asks it for the primary';
    return { what: 'redis', status: 'wrong', detail };
  }
  if (mode === 'cluster' && byUrl) {
    const detail = `${about}: a node of a Cluster, which has only some of the keys: pass a client of the whole Cluster`;
    return { what: 'redis', status: 'warning', detail };
  }
  if (policy !== 'noeviction' && policy !== 'unknown') {
    return {
      what: 'redis',
      status: 'warning',
      detail: `${about}: each eviction of a sequence loses a segment`,
    };
  }
  return { what: 'redis', status: 'ok', detail: about };
}

/** Checks which platform the server is, whether it answers, as which role, and whether its clock agrees. */
export function serverChecks(database: SqlExecutor): Promise<Check[]> {
  return checked('database', () => dialectOf(database).serverChecks(database));
}
