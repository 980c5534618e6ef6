import { groupOfCluster, startRedisCluster } from '@ids/local-services';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { ROWS_OF_REDIS } from './rows.js';
import { ofIoredis, ofNodeRedis, type Stack, stackOfRedis } from './stack.js';

/** Three masters with a replica each. One of them has all rows, and fails over. */
export async function clusterStack(): Promise<Stack> {
  const cluster = await startRedisCluster({ replicasPerMaster: 1 });
  const names = Object.keys(ROWS_OF_REDIS);
  const slots = await Promise.all(names.map((name) => cluster.slotOfKey(`{${name}}`)));
  const [slot = 0, ...others] = slots;
  for (const other of others) await cluster.moveSlot(other, await cluster.ownerOfSlot(slot));
  const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
  // As docs/operations/segment-redis-db.md says.
  const redisOptions = { maxRetriesPerRequest: 1, socketTimeout: 1_500 };
  return stackOfRedis(groupOfCluster(cluster, slot), {
    ioredis: async () => ofIoredis(new Cluster(nodes, { redisOptions })),
    redis: () => ofNodeRedis(createCluster({ rootNodes: nodes.map((socket) => ({ socket })) })),
  });
}
