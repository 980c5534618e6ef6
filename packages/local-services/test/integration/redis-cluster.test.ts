import { Cluster } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedisCluster } from '../../src/index.js';
import { redisClient } from './connections.js';

describe('startRedisCluster', () => {
  it('is complete on every node and tells which node serves a key', async () => {
    await using cluster = await startRedisCluster();
    expect(cluster.nodes).toHaveLength(3);
    for (const node of cluster.nodes) {
      expect(await redisClient(node.url).cluster('INFO')).toMatch(
        /cluster_state:ok\r\n(.*\r\n)*cluster_slots_ok:16384/,
      );
    }
    const owners = new Set<string>();
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const owner = await cluster.ownerOfKey(key);
      expect(await redisClient(owner.url).set(key, '1')).toBe('OK');
      owners.add(owner.id);
    }
    expect(owners.size).toBe(3);
    const client = new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port })));
    onTestFinished(() => client.disconnect());
    expect(await client.get('f')).toBe('1');
  });

  it('follows a failover to the replica and keeps ids over a restart', async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 1 });
    const before = await cluster.ownerOfSlot(0);
    const replica = cluster.nodes[3 + cluster.nodes.indexOf(before)];
    if (!replica) throw new Error('no replica');
    await before.kill();
    await redisClient(replica.url).cluster('FAILOVER', 'TAKEOVER');
    const after = await cluster.ownerOfSlot(0);
    expect(after.id).toBe(replica.id);
    await before.restart();
    expect(await redisClient(before.url).cluster('MYID')).toBe(before.id);
    expect((await cluster.ownerOfSlot(0)).id).toBe(replica.id);
  });

  it('refuses a slot that does not exist', async () => {
    await using cluster = await startRedisCluster({ masters: 1 });
    await expect(cluster.ownerOfSlot(16384)).rejects.toThrow(
      'slot 16384: an integer from 0 to 16383 is accepted',
    );
    expect((await cluster.ownerOfSlot(16383)).id).toBe(cluster.nodes[0]?.id);
  });

  it('refuses a number of masters below 1', async () => {
    await expect(startRedisCluster({ masters: 0 })).rejects.toThrow(
      'masters 0: an integer from 1 is accepted',
    );
  });
});
