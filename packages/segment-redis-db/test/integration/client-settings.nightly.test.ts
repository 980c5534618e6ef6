import { once } from 'node:events';
import { startFaultProxy, startRedis, startRedisCluster, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { MemorySegmentSource } from '@ids/segment';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createSegmentRedisDbGenerator, type RedisLike } from '../../src/index.js';
import { fault } from '../support/fixture.js';
import { adminOf, heard, statistic } from '../support/load.js';

const source = () => new MemorySegmentSource({ order: { startAfter: 0 } });

const settings: readonly [string, Omit<RedisOptions, 'replyMapping'>][] = [
  ['as they come', {}],
  ['without resending', { autoResendUnfulfilledCommands: false }],
  ['without retries', { maxRetriesPerRequest: 0 }],
  ['without an offline queue', { enableOfflineQueue: false }],
  ['with auto-pipelining', { enableAutoPipelining: true }],
  ['with a command timeout', { commandTimeout: 250 }],
  ['with a key prefix', { keyPrefix: 'app:' }],
];

describe.each(settings)('a client with its settings %s', (_name, options) => {
  faultTest('settles every call, in order, while replies are lost and connections cut', async () => {
    await using server = await startRedis();
    await using admin = adminOf(server.url);
    await using proxy = await startFaultProxy({ target: server });
    const redis = new Redis(proxy.url('redis'), { ...options, retryStrategy: () => 10 });
    redis.on('error', () => {
      // The connection is cut on purpose.
    });
    await heard(redis, 'ready');
    const generator = await createSegmentRedisDbGenerator({
      name: 'order',
      redis,
      source: source(),
      deadlineMs: 2_000,
    });
    const before = await statistic(admin.redis, 'total_connections_received');
    const given: number[] = [];
    const call = async (): Promise<void> => {
      const id = await generator.next().catch(() => undefined);
      if (id !== undefined) given.push(id);
    };
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, call));
      await injectFault(() => proxy.setMode('swallow-replies'));
      const calls = Promise.all(Array.from({ length: 20 }, call));
      // The take has been sent by the end of this turn.
      await new Promise(setImmediate);
      await injectFault(() => {
        proxy.cut();
        return proxy.setMode('pass');
      });
      await calls;
    }
    const connections = (await statistic(admin.redis, 'total_connections_received')) - before;
    expect(connections).toBeGreaterThanOrEqual(5);
    expect(given.length).toBeGreaterThanOrEqual(100);
    expect(fault(given)).toBeUndefined();
    await generator.close();
    redis.disconnect();
  });
});

describe('a client that was handed in', () => {
  it('keeps its key prefix, and is neither patched nor closed', async () => {
    await using server = await startRedis();
    const redis = new Redis(server.url, { keyPrefix: 'app:' });
    await once(redis, 'ready');
    const before = Object.getOwnPropertyNames(redis).sort();
    const generator = await createSegmentRedisDbGenerator({ name: 'order', redis, source: source() });
    await generator.next();
    await generator.close();
    expect(Object.getOwnPropertyNames(redis).sort()).toEqual(before);
    expect(await redis.keys('*')).toEqual(['app:ids:{order}']);
    expect(redis.status).toBe('ready');
    redis.disconnect();
  });
});

describe('a client inside a transaction', () => {
  it('is refused by name and takes no ids, and serves again when the transaction is over', async () => {
    await using server = await startRedis();
    const redis = new Redis(server.url);
    const generator = await createSegmentRedisDbGenerator({ name: 'order', redis, source: source() });
    await generator.ready();
    const before = await generator.next();
    await redis.multi({ pipeline: false });
    const calls = await Promise.allSettled(Array.from({ length: 50 }, () => generator.next()));
    for (const call of calls) {
      expect(call).toMatchObject({
        reason: {
          code: 'ERR_IDS_CONFIG',
          retryable: false,
          message: expect.stringMatching(/inside a transaction \(MULTI\).*QUEUED/),
        },
      });
    }
    expect(generator.health().status).toBe('down');
    expect(await redis.exec()).toHaveLength(1);
    // One take was queued, and its ids are lost. It is not repeated meanwhile.
    expect(await generator.next()).toBe(before + calls.length + 1);
    await generator.close();
    redis.disconnect();
  });

  it('is refused at the start, also where replicas must confirm', async () => {
    await using server = await startRedis();
    for (const waitReplicas of [0, 1]) {
      const redis = new Redis(server.url);
      await redis.multi({ pipeline: false });
      const opening = createSegmentRedisDbGenerator({ name: 'order', redis, source: source(), waitReplicas });
      await expect(opening).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        message: expect.stringContaining('inside a transaction'),
      });
      redis.disconnect();
    }
  });
});

describe('a client that keeps its replies to itself', () => {
  it.each([undefined, null])('and returns %s is refused by name', async (nothing) => {
    await using server = await startRedis();
    const redis = new Redis(server.url);
    const silent: RedisLike = {
      evalsha: (...args) => redis.evalsha(...args).then(() => nothing),
      eval: (...args) => redis.eval(...args).then(() => nothing),
      pipeline: () => redis.pipeline(),
    };
    const opening = createSegmentRedisDbGenerator({ name: 'order', redis: silent, source: source() });
    await expect(opening).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining(`returned ${nothing} for the script "probe"`),
    });
    redis.disconnect();
  });
});

describe('a Redis Cluster', () => {
  it('dispenses from the node that owns the sequence', async () => {
    await using servers = await startRedisCluster();
    const cluster = new Cluster(servers.nodes.map(({ host, port }) => ({ host, port })));
    const name = uniqueName('order');
    const generator = await createSegmentRedisDbGenerator({
      name,
      redis: cluster,
      source: new MemorySegmentSource({ [name]: { startAfter: 0 } }),
      minStep: 10,
      maxStep: 10,
    });
    const ids = await Promise.all(Array.from({ length: 100 }, () => generator.next()));
    expect(ids).toEqual(Array.from({ length: 100 }, (_, i) => 1 + i));
    await generator.close();
    const ended = once(cluster, 'end');
    cluster.disconnect();
    await ended;
  });
});
