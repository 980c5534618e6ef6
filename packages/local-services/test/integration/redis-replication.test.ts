import { describe, expect, it } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { startRedisReplication } from '../../src/index.js';
import { redisClient } from './connections.js';

describe('startRedisReplication', () => {
  it('gives replicas that are in sync at once and acknowledge writes', async () => {
    await using replication = await startRedisReplication({ replicas: 2 });
    expect(replication.links).toEqual([]);
    const primary = redisClient(replication.primary.url);
    await primary.set('k', 'v');
    expect(await primary.wait(2, 10_000)).toBe(2);
    for (const replica of replication.replicas) expect(await redisClient(replica.url).get('k')).toBe('v');
  });

  faultTest('promotes a replica with its data while the old primary goes on', async () => {
    await using replication = await startRedisReplication();
    const { primary } = replication;
    const [replica] = replication.replicas;
    if (!replica) throw new Error('no replica');
    const old = redisClient(primary.url);
    const promoted = redisClient(replica.url);
    await old.set('k', 'v');
    await old.wait(1, 10_000);
    await expect(promoted.set('k', 'w')).rejects.toThrow('READONLY');
    await injectFault(() => replication.promote(replica));
    await expect(promoted.set('k', 'w')).resolves.toBe('OK');
    await old.set('k', 'x');
    expect([await promoted.get('k'), await old.get('k')]).toEqual(['w', 'x']);
  });

  faultTest('lets a replica lag behind a black-holed link and catch up', async () => {
    await using replication = await startRedisReplication({ throughProxy: true });
    const [link] = replication.links;
    const primary = redisClient(replication.primary.url);
    await injectFault(() => link?.setMode('blackhole'));
    await primary.set('k', 'v');
    expect(await primary.wait(1, 200)).toBe(0);
    expect(await redisClient(replication.replicas[0]?.url ?? '').get('k')).toBeNull();
    await injectFault(() => link?.setMode('pass'));
    expect(await primary.wait(1, 10_000)).toBe(1);
  });

  it('refuses a number of replicas below 1', async () => {
    await expect(startRedisReplication({ replicas: 0 })).rejects.toThrow(
      'replicas 0: an integer from 1 is accepted',
    );
  });
});
