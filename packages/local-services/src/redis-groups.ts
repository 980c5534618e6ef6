import { type FailoverGroup, groupOf, type Manager } from './failover-group.js';
import { pollUntil } from './poll-until.js';
import type { RedisCluster } from './redis-cluster.js';
import type { RedisSentinelGroup } from './redis-sentinel.js';
import type { RedisServer } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** The servers that the Sentinels watch. Closing it closes them. */
export function groupOfSentinels(sentinel: RedisSentinelGroup): FailoverGroup {
  return groupOf({
    ...partsOf(sentinel.servers),
    leader: sentinel.primary,
    leaderAfter: sentinel.primaryAfter,
    handOver: sentinel.failover,
    complete: sentinel.replica,
    close: sentinel.close,
  });
}

const leaderTimeoutMs = 60_000;

/** The nodes of a Cluster, of which the one leads that serves `slot`. Closing it closes them. */
export function groupOfCluster(cluster: RedisCluster, slot: number): FailoverGroup {
  const leader = () => cluster.ownerOfSlot(slot);
  const replica = async () => cluster.replicaOf(await leader());
  return groupOf({
    ...partsOf(cluster.nodes),
    leader,
    leaderAfter: async (former) => {
      let found = former;
      const took = await pollUntil(async () => {
        found = await leader().catch(() => former);
        return found !== former;
      }, leaderTimeoutMs);
      if (!took) throw new Error(`no other node serves slot ${slot} after ${leaderTimeoutMs / 1000} s`);
      return found;
    },
    handOver: async () => cluster.failover(await replica()),
    complete: replica,
    close: cluster.close,
  });
}

function partsOf<S extends RedisServer>(
  servers: readonly S[],
): Pick<Manager<S>, 'servers' | 'versions' | 'acceptsWrites'> {
  return {
    servers,
    versions: { redis: servers[0]?.version ?? '' },
    acceptsWrites: ({ url }) => withRedis(url, async (client) => (await client.role())[0] === 'master'),
  };
}
