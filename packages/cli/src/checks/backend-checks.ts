import { type RedisClient, serverFacts } from '@ids/segment-redis-db';
import type { SqlExecutor } from '@ids/store';
import type { Redis } from 'ioredis';
import { redisFacts } from '../platforms/redis-platforms.js';
import { FACTS } from '../platforms/sql-platforms.js';
import { isMysql, mysqlServer } from '../tables/mysql-queries.js';
import { type RedisHash, withRedis } from '../tables/redis.js';
import { isSqlite, sqliteVersion } from '../tables/sqlite-queries.js';
import { type Check, checked, clockCheck } from './check.js';
import { databasePlatformCheck, redisPlatformCheck } from './platform-checks.js';

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

const SERVER = `
SELECT current_setting('server_version') AS version, current_user AS role,
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS now, pg_is_in_recovery() AS standby`;

/** Checks which platform the server is, whether it answers, as which role, and whether its clock agrees. */
export async function serverChecks(database: SqlExecutor): Promise<Check[]> {
  return checked('database', async () => {
    if (isMysql(database)) return mysqlServerChecks(database);
    // In this process, so there is no other clock, and no role.
    if (isSqlite(database)) {
      return [{ what: 'database', status: 'ok', detail: `SQLite ${await sqliteVersion(database)}` }];
    }
    // First: a platform that is only like Postgres may not know what the other statement asks for.
    const facts = await database.execute(FACTS, []);
    const platform = databasePlatformCheck(facts.rows[0] ?? {});
    if (platform.status === 'wrong') return [platform];
    const before = Date.now();
    const { rows } = await database.execute(SERVER, []);
    const after = Date.now();
    const { version, role, now, standby } = rows[0] ?? {};
    return [
      {
        what: 'database',
        status: standby === true ? 'wrong' : 'ok',
        detail: `Postgres ${version} as ${role}${standby === true ? ', a standby: connect to the primary' : ''}`,
      },
      platform,
      clockCheck('database', Number(now), before, after),
    ];
  });
}

async function mysqlServerChecks(database: SqlExecutor): Promise<Check[]> {
  const before = Date.now();
  const { product, role, now, readOnly } = await mysqlServer(database);
  const detail = `${product} as ${role}${readOnly ? ', read-only: connect to the primary' : ''}`;
  return [
    { what: 'database', status: readOnly ? 'wrong' : 'ok', detail },
    databasePlatformCheck({ 'version()': product }),
    clockCheck('database', now, before, Date.now()),
  ];
}
