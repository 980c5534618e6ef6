import { type FailoverGroup, type GroupNode, saysSoon } from './failover-group.js';
import { pollUntil } from './poll-until.js';
import type { RedisCluster } from './redis-cluster.js';
import type { RedisSentinelGroup } from './redis-sentinel.js';
import type { RedisServer } from './redis-server.js';
import { withRedis } from './with-redis.js';

/** How a kind of group does what each group can do. */
interface Manager {
  readonly servers: readonly RedisServer[];
  leader(): Promise<RedisServer>;
  leaderAfter(former: RedisServer): Promise<RedisServer>;
  complete(): Promise<unknown>;
  handOver(leader: RedisServer): Promise<unknown>;
  close(): Promise<void>;
}

/** The servers that the Sentinels watch. Closing it closes them. */
export function groupOfSentinels(sentinel: RedisSentinelGroup): FailoverGroup {
  return groupOf({
    servers: sentinel.servers,
    leader: sentinel.primary,
    leaderAfter: sentinel.primaryAfter,
    complete: sentinel.replica,
    handOver: sentinel.failover,
    close: sentinel.close,
  });
}

const leaderTimeoutMs = 60_000;

/** The nodes of a Cluster, of which the one leads that serves `slot`. Closing it closes them. */
export function groupOfCluster(cluster: RedisCluster, slot: number): FailoverGroup {
  const leader = () => cluster.ownerOfSlot(slot);
  const replica = async () => cluster.replicaOf(await leader());
  return groupOf({
    servers: cluster.nodes,
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
    complete: replica,
    handOver: async () => cluster.failover(await replica()),
    close: cluster.close,
  });
}

function groupOf({ servers, handOver, close, ...manager }: Manager): FailoverGroup {
  const nodes = servers.map(
    (server, i): GroupNode => ({
      name: `r${i + 1}`,
      port: server.port,
      url: server.url,
      acceptsWrites: () =>
        saysSoon(() => withRedis(server.url, async (client) => (await client.role())[0] === 'master')),
      freeze: async () => server.pause(),
      wakeServer: () => server.resume(),
      handOver: async () => void (await handOver(server)),
      // The manager is elsewhere.
      wakeManager: () => {},
    }),
  );
  const nodeOf = (server: RedisServer) => nodes[servers.indexOf(server)] as GroupNode;
  return {
    nodes,
    versions: { redis: servers[0]?.version ?? '' },
    leader: async () => nodeOf(await manager.leader()),
    leaderAfter: async (former) => {
      const server = servers.find(({ port }) => port === former?.port);
      return nodeOf(await (server === undefined ? manager.leader() : manager.leaderAfter(server)));
    },
    complete: async () => void (await manager.complete()),
    close,
    [Symbol.asyncDispose]: close,
  };
}
