import { Cluster } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
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

  faultTest('follows a failover to the replica and keeps ids over a restart', async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 1 });
    const before = await cluster.ownerOfSlot(0);
    const replica = cluster.nodes[3 + cluster.nodes.indexOf(before)];
    if (!replica) throw new Error('no replica');
    await injectFault(async () => {
      await before.kill();
      await redisClient(replica.url).cluster('FAILOVER', 'TAKEOVER');
    });
    const after = await cluster.ownerOfSlot(0);
    expect(after.id).toBe(replica.id);
    await injectFault(() => before.restart());
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

describe('a cluster under change', () => {
  const key = 'a';

  faultTest('moves a slot with its keys, and every node knows', async () => {
    await using cluster = await startRedisCluster({ masters: 2 });
    const slot = await cluster.slotOfKey(key);
    const from = await cluster.ownerOfSlot(slot);
    const to = cluster.nodes.find((node) => node !== from) ?? from;
    await redisClient(from.url).set(key, '1');
    await injectFault(() => cluster.moveSlot(slot, to));
    expect(await cluster.ownerOfKey(key)).toBe(to);
    expect(await redisClient(to.url).get(key)).toBe('1');
    await expect(redisClient(from.url).get(key)).rejects.toThrow(`MOVED ${slot} 127.0.0.1:${to.port}`);
  });

  faultTest('fails a shard over in step with its master, and back', async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 1 });
    const master = await cluster.ownerOfKey(key);
    const replica = await cluster.replicaOf(master);
    await redisClient(master.url).set(key, '1');
    await injectFault(() => cluster.failover(replica));
    expect(await cluster.ownerOfKey(key)).toBe(replica);
    expect(await redisClient(replica.url).get(key)).toBe('1');
    expect(await cluster.replicaOf(replica)).toBe(master);
    await injectFault(() => cluster.failover(master));
    expect(await cluster.ownerOfKey(key)).toBe(master);
  });

  faultTest(
    'lets a replica take over with the data it had when its link broke, and follow again once that is mended',
    async () => {
      await using cluster = await startRedisCluster({ masters: 1, replicasPerMaster: 1 });
      const master = await cluster.ownerOfKey(key);
      const replica = await cluster.replicaOf(master);
      const client = redisClient(master.url);
      await client.set(key, 'early');
      expect(await client.wait(1, 10_000)).toBe(1);
      await injectFault(() => cluster.breakLink(master, replica));
      await client.set(key, 'late');
      await injectFault(async () => {
        await master.kill();
        await cluster.failover(replica, 'TAKEOVER');
      });
      expect(await cluster.ownerOfKey(key)).toBe(replica);
      expect(await redisClient(replica.url).get(key)).toBe('early');
      await injectFault(async () => {
        await cluster.mendLink(replica);
        await master.restart();
      });
      expect(await cluster.replicaOf(replica)).toBe(master);
      await injectFault(() => cluster.failover(master));
      expect(await cluster.replicaOf(master)).toBe(replica);
    },
  );
});
