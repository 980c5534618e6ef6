import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { type RedisSentinelGroup, startRedisSentinel } from '../../src/index.js';
import { redisClient } from './connections.js';

describe('startRedisSentinel', () => {
  let group: RedisSentinelGroup;
  beforeAll(async () => {
    group = await startRedisSentinel();
  });
  afterAll(() => group?.close());

  it('gives a primary that clients find through its Sentinels', async () => {
    const client = new Redis({ name: group.name, sentinels: addressesOf(group) });
    onTestFinished(() => client.disconnect());
    expect(await client.set('k', 'v')).toBe('OK');
    expect(await client.wait(1, 10_000)).toBe(1);
    const primary = await group.primary();
    expect(primary).toBe(group.servers[0]);
    expect(await redisClient(primary.url).get('k')).toBe('v');
    expect(await redisClient((await group.replica()).url).get('k')).toBe('v');
  });

  faultTest('has a replica promoted on order, and the former primary follow it', async () => {
    const former = await group.primary();
    await injectFault(() => group.failover());
    expect(await group.primary()).not.toBe(former);
    expect(await group.replica()).toBe(former);
  });

  faultTest('replaces a primary that is killed, and makes it a replica when it is back', async () => {
    const former = await group.primary();
    await injectFault(async () => {
      await former.kill();
      await group.primaryAfter(former);
    });
    const promoted = await group.primary();
    expect(promoted).not.toBe(former);
    expect(await redisClient(promoted.url).set('k', 'w')).toBe('OK');
    await injectFault(() => former.restart());
    expect(await group.replica()).toBe(former);
    expect(await redisClient(former.url).get('k')).toBe('w');
  });
});

describe('the options of startRedisSentinel', () => {
  it.each([
    [{ replicas: 0 }, 'replicas 0: an integer from 1 is accepted'],
    [{ sentinels: 0 }, 'sentinels 0: an integer from 1 is accepted'],
    [{ downAfterMs: 50 }, 'downAfterMs 50: an integer from 100 is accepted'],
  ])('%j is refused', async (options, message) => {
    await expect(startRedisSentinel(options)).rejects.toThrow(message);
  });
});

function addressesOf({ sentinels }: RedisSentinelGroup) {
  return sentinels.map(({ host, port }) => ({ host, port }));
}
