import type { Facts, Platform } from './platform.js';

/** The order of `segment-redis-db` without Redis. */
const DATABASE_ALONE = "segment-inproc with order: 'real-time', on the database alone";
const OSS = 'redis-server, Valkey or ElastiCache with nodes, or ';

const REPLICATION_ID =
  'a replica that is promoted generates a new replication ID, and INFO in a script shows it';

/** What the Redis of `segment-redis-db` may be. */
export const REDIS_PLATFORMS: readonly Platform[] = [
  {
    name: 'Dragonfly',
    status: 'refused',
    why: 'a promoted replica keeps its replication ID, so lost writes after a promotion cannot be detected',
    source: 'https://github.com/dragonflydb/dragonfly/blob/main/src/server/server_family.cc',
    instead: OSS + DATABASE_ALONE,
    signs: [{ fact: 'dragonfly_version' }],
  },
  {
    name: 'Redis Software and Redis Cloud',
    status: 'refused',
    why: 'their documentation says of INFO: "Not supported for scripts", and the fence reads the replication ID in the script',
    source: 'https://redis.io/docs/latest/commands/info/',
    instead: OSS + DATABASE_ALONE,
    signs: [{ fact: 'rlec_version' }],
  },
  {
    name: 'Azure Managed Redis',
    status: 'refused',
    why: 'it "runs on the Redis Enterprise stack", whose scripts may not call INFO',
    source: 'https://docs.azure.cn/en-us/redis/architecture',
    instead: DATABASE_ALONE,
    signs: [],
    looksLike: 'Redis Software and Redis Cloud',
  },
  {
    name: 'Upstash',
    status: 'refused',
    why: 'its INFO has the sections server, clients, memory, stats, cluster and keyspace: no role and no replication ID',
    source: 'https://upstash.com/docs/redis/commands/server/info',
    instead: DATABASE_ALONE,
    signs: [{ fact: 'upstash_version' }],
  },
  {
    name: 'ElastiCache with nodes',
    status: 'documented',
    why: 'it runs Redis or Valkey, and neither EVAL nor INFO is among the commands that it restricts',
    source: 'https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/ClientConfig.RestrictedCommands.html',
    signs: [{ fact: 'os', starts: 'Amazon ElastiCache' }],
  },
  {
    name: 'ElastiCache Serverless',
    status: 'unknown',
    why: 'CLUSTER INFO there describes "the single virtual shard" in front of the nodes, and no page says what of INFO changes when a node fails',
    source: 'https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/SupportedCommands.html',
    instead: `ElastiCache with nodes, or ${DATABASE_ALONE}`,
    signs: [],
    looksLike: 'ElastiCache with nodes',
  },
  {
    name: 'Memorystore for Redis',
    status: 'documented',
    why: 'EVAL, EVALSHA and INFO are among its supported commands; the replication ID is as in Redis',
    source: 'https://docs.cloud.google.com/memorystore/docs/redis/supported-commands',
    signs: [],
    looksLike: 'the Redis that it runs',
  },
  {
    name: 'KeyDB with active-replica',
    status: 'refused',
    why: 'each of its servers accepts writes while it replicates another one, and the newest write wins, so two could issue the same IDs',
    source: 'https://docs.keydb.dev/docs/active-rep',
    instead: `KeyDB without active-replica, or ${DATABASE_ALONE}`,
    signs: [{ fact: 'role', starts: 'active-replica' }],
  },
  {
    name: 'KeyDB',
    status: 'documented',
    why: 'without active-replica, "KeyDB acts as Redis does", here as Redis 6',
    source: 'https://github.com/Snapchat/KeyDB/wiki/Active-Replication',
    signs: [{ fact: 'mvcc_depth' }],
  },
  {
    name: 'Valkey 8',
    status: 'tested',
    why: 'the integration tests of segment-redis-db passed once on Valkey 8.1.1, run by hand',
    signs: [{ fact: 'valkey_version', starts: '8.' }],
  },
  {
    name: 'Valkey, other versions',
    status: 'documented',
    why: REPLICATION_ID,
    source: 'https://valkey.io/topics/replication/',
    signs: [{ fact: 'valkey_version' }],
  },
  {
    name: 'Redis 8',
    status: 'tested',
    why: 'the integration tests of segment-redis-db passed once on Redis 8.0.2, run by hand',
    signs: [{ fact: 'redis_version', starts: '8.' }],
  },
  {
    name: 'Redis 7',
    status: 'tested',
    why: 'each change of this project runs the tests on Redis 7.0.15',
    signs: [{ fact: 'redis_version', starts: '7.' }],
  },
  {
    name: 'Redis 6.2',
    status: 'documented',
    why: `${REPLICATION_ID}; the tests run the form of INFO that it needs, on Redis 7`,
    source: 'https://redis.io/docs/latest/operate/oss_and_stack/management/replication/',
    signs: [{ fact: 'redis_version', starts: '6.2.' }],
  },
];

/** The fields of a reply of INFO. */
export function redisFacts(info: string): Facts {
  return Object.fromEntries(
    [...info.matchAll(/^([^:\s]+):(.*)$/gm)].map(([, field, value = '']) => [field, value.trim()]),
  );
}
