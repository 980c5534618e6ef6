import { once } from 'node:events';
import { startFaultProxy, startRedis, startRedisCluster, uniqueName } from '@ids/local-services';
import { MemorySegmentSource } from '@ids/segment';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { createRedisSegmentGenerator } from '../../src/index.js';
import { fault } from '../support/fixture.js';

const source = () => new MemorySegmentSource({ order: { startAfter: 0 } });

const settings: readonly [string, Omit<RedisOptions, 'replyMapping'>][] = [
  ['as they come', {}],
  ['without resending', { autoResendUnfulfilledCommands: false }],
  ['without retries', { maxRetriesPerRequest: 0 }],
  ['without an offline queue', { enableOfflineQueue: false }],
  ['with auto-pipelining', { enableAutoPipelining: true }],
  ['with a command timeout', { commandTimeout: 50 }],
  ['with a key prefix', { keyPrefix: 'app:' }],
];

describe.each(settings)('a client with its settings %s', (_name, options) => {
  it('settles every call, in order, while replies are lost and connections cut', async () => {
    await using server = await startRedis();
    await using proxy = await startFaultProxy({ target: server });
    const redis = new Redis(proxy.url('redis'), { ...options, retryStrategy: () => 10 });
    redis.on('error', () => {
      // The connection is cut on purpose.
    });
    await once(redis, 'ready');
    const generator = await createRedisSegmentGenerator({
      name: 'order',
      redis,
      source: source(),
      deadlineMs: 2_000,
    });
    const given: number[] = [];
    const call = async (): Promise<void> => {
      const id = await generator.next().catch(() => undefined);
      if (id !== undefined) given.push(id);
    };
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 20 }, call));
      await proxy.setMode('swallow-replies');
      const calls = Promise.all(Array.from({ length: 20 }, call));
      // The take has been sent by the end of this turn.
      await new Promise(setImmediate);
      proxy.cut();
      await proxy.setMode('pass');
      await calls;
    }
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
    const generator = await createRedisSegmentGenerator({ name: 'order', redis, source: source() });
    await generator.next();
    await generator.close();
    expect(Object.getOwnPropertyNames(redis).sort()).toEqual(before);
    expect(await redis.keys('*')).toEqual(['app:ids:{order}']);
    expect(redis.status).toBe('ready');
    redis.disconnect();
  });
});

describe('a Redis Cluster', () => {
  it('dispenses from the node that owns the sequence', async () => {
    await using servers = await startRedisCluster();
    const cluster = new Cluster(servers.nodes.map(({ host, port }) => ({ host, port })));
    const name = uniqueName('order');
    const generator = await createRedisSegmentGenerator({
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
