import { startFaultProxy, startRedis, startRedisCluster, startRedisSentinel } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { MemorySegmentSource } from '@ids/segment';
import * as six from 'redis';
import * as five from 'redis5';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createSegmentRedisDbGenerator,
  inspectSequence,
  type RedisClient,
  type SegmentRedisDbOptions,
} from '../../src/index.js';
import { NodeRedisDriver } from '../../src/node-redis.js';
import { openNodeRedis } from '../../src/open-node-redis.js';
import { fault } from '../support/fixture.js';
import { adminOf, statistic } from '../support/load.js';

/** Both versions that are supported. What is called here has the same types in both. */
const VERSIONS = [
  ['5', five as unknown as typeof six],
  ['6', six],
] as const;

/** Not what the dispenser expects of replies. */
const inBuffers = { commandOptions: { typeMapping: { [six.RESP_TYPES.BLOB_STRING]: Buffer } } };

function source() {
  return new MemorySegmentSource({ order: { startAfter: 0 } });
}

async function open(redis: RedisClient, options: Partial<Omit<SegmentRedisDbOptions, 'as'>> = {}) {
  const generator = await createSegmentRedisDbGenerator({
    name: 'order',
    redis,
    source: source(),
    ...options,
  });
  onTestFinished(() => generator.close());
  return generator;
}

/** `client`, which is destroyed after the test, and whose errors are expected. */
function quiet<Client extends six.RedisClientType | ReturnType<typeof six.createClient>>(
  client: Client,
): Client {
  client.on('error', () => undefined);
  onTestFinished(() => void (client.isOpen && client.destroy()));
  return client;
}

describe.each(VERSIONS)('node-redis %s', (_version, redis) => {
  it.each([0, 1])(
    'dispenses by a client, a pool, a cluster and a sentinel; waitReplicas: %i',
    async (waitReplicas) => {
      await using servers = await startRedisCluster({ replicasPerMaster: 1 });
      await using group = await startRedisSentinel({ sentinels: 1 });
      const { url } = await group.primary();
      // A replica that is not in sync yet would confirm nothing, and its first ids would be dropped.
      for (const primary of [url, (await servers.ownerOfKey('kind-2:{order}')).url]) {
        await using admin = adminOf(primary);
        expect(await admin.redis.wait(1, 10_000)).toBe(1);
      }
      const rootNodes = servers.nodes.map(({ host, port }) => ({ socket: { host, port } }));
      const sentinelRootNodes = group.sentinels.map(({ host, port }) => ({ host, port }));
      const clients = [
        redis.createClient({ url, ...inBuffers }),
        redis.createClientPool({ url, ...inBuffers }),
        redis.createCluster({ rootNodes, ...inBuffers }),
        redis.createSentinel({ name: group.name, sentinelRootNodes, ...inBuffers }),
      ] as const;
      for (const [index, client] of clients.entries()) {
        client.on('error', () => undefined);
        await client.connect();
        const before = Object.getOwnPropertyNames(client).sort();
        const keyPrefix = `kind-${index}:`;
        const generator = await open(client, { waitReplicas, keyPrefix });
        const [first = 0, ...others] = await generator.nextBatch(3);
        // Of a replica that confirms too late, as on a busy machine, ids are dropped and later ones issued.
        if (waitReplicas === 0) expect(first).toBe(1);
        expect(others).toEqual([first + 1, first + 2]);
        expect(generator.health().status).toBe('ok');
        expect(await inspectSequence({ redis: client, name: 'order', keyPrefix })).toMatchObject({
          state: 'dispensing',
        });
        await generator.close();
        expect(Object.getOwnPropertyNames(client).sort()).toEqual(before);
        expect(client.isOpen, 'not closed by the generator').toBe(true);
        await client.destroy();
      }
    },
  );

  const settings: readonly [string, Parameters<typeof redis.createClient>[0]][] = [
    ['as they come', {}],
    ['without an offline queue', { disableOfflineQueue: true }],
    ['over RESP2', { RESP: 2 }],
    ['with a short queue', { commandsQueueMaxLength: 16 }],
    ['with a time limit of commands', { commandOptions: { timeout: 250 } }],
    ['with strings as buffers', inBuffers],
  ];

  describe.each(settings)('a client with its settings %s', (_name, options) => {
    faultTest('settles every call, in order, while replies are lost and connections cut', async () => {
      await using server = await startRedis();
      await using admin = adminOf(server.url);
      await using proxy = await startFaultProxy({ target: server });
      const socket = { reconnectStrategy: () => 10 };
      const client = quiet(redis.createClient({ url: proxy.url('redis'), socket, ...options }));
      await client.connect();
      const generator = await open(client, { deadlineMs: 2_000 });
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
        // The take is handed to the client by the end of this turn, and sent by the end of the next one.
        await new Promise(setImmediate);
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
    });
  });

  it('is refused with a reason before connect(), and serves as soon as it is connected', async () => {
    await using server = await startRedis();
    const client = quiet(redis.createClient({ url: server.url }));
    await expect(open(client)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('connect() was not called'),
    });
    const connecting = client.connect();
    expect(await (await open(client)).next()).toBe(1);
    await connecting;
  });

  it('is refused as a cluster before connect()', async () => {
    await using servers = await startRedisCluster();
    const rootNodes = servers.nodes.map(({ host, port }) => ({ socket: { host, port } }));
    const cluster = redis.createCluster({ rootNodes });
    await expect(open(cluster)).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('connect() was not called'),
    });
  });

  it('makes the generator down when the caller closes it, and ok when it is open again', async () => {
    await using server = await startRedis();
    const client = quiet(redis.createClient({ url: server.url }));
    await client.connect();
    const generator = await open(client, { deadlineMs: 300 });
    expect(await generator.next()).toBe(1);
    client.destroy();
    expect(generator.health()).toMatchObject({
      status: 'down',
      lastError: { message: expect.stringContaining('no connection to Redis: its status is "end"') },
    });
    await expect(generator.next()).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('the Redis client is closed'),
    });
    await client.connect();
    expect(await generator.next()).toBe(2);
    expect(generator.health().status).toBe('ok');
  });

  it.each([0, 1])(
    'sends nothing late for which nobody waits any more; waitReplicas: %i',
    async (waitReplicas) => {
      await using server = await startRedis();
      await using _replica = await startRedis({ args: ['--replicaof', server.host, String(server.port)] });
      await using proxy = await startFaultProxy({ target: server });
      const socket = { reconnectStrategy: () => 10 };
      const client = quiet(redis.createClient({ url: proxy.url('redis'), socket }));
      await client.connect();
      const generator = await open(client, { deadlineMs: 2_500, waitReplicas });
      const first = await generator.next();
      await proxy.setMode('refuse');
      proxy.cut();
      await expect(generator.nextBatch(20)).rejects.toMatchObject({ retryable: true });
      await proxy.setMode('pass');
      await expect.poll(() => client.isReady).toBe(true);
      await client.ping();
      // At most the last take still waited for a connection. Each of the others would have taken 20 too.
      expect(await generator.next()).toBeLessThanOrEqual(first + 21);
    },
  );

  it('is called by its key prefix, which only version 6 has', async () => {
    await using server = await startRedis();
    const client = quiet(redis.createClient({ url: server.url, keyPrefix: 'app:' }));
    await client.connect();
    await (await open(client)).next();
    await using admin = adminOf(server.url);
    expect(await admin.redis.keys('*')).toEqual([redis === six ? 'app:ids:{order}' : 'ids:{order}']);
  });

  faultTest('connects again, opened by a URL, where a demoted primary answers', async () => {
    await using former = await startRedis();
    await using latter = await startRedis();
    await using name = await startFaultProxy({ target: former });
    const { redis: driver, close } = await openNodeRedis(redis, name.url('redis'));
    onTestFinished(close);
    const generator = await open(driver);
    expect(await generator.next()).toBe(1);
    await using admin = adminOf(former.url);
    const before = await statistic(admin.redis, 'total_connections_received');
    await injectFault(() => admin.redis.replicaof(latter.host, latter.port));
    const call = generator.next();
    await expect
      .poll(() => statistic(admin.redis, 'total_connections_received'), { timeout: 5_000 })
      .toBeGreaterThan(before);
    await admin.redis.replicaof('NO', 'ONE');
    expect(await call).toBeGreaterThan(1);
  });

  it('opens a URL for a user with the least rights, and says where nothing answers', async () => {
    await using server = await startRedis();
    await using admin = adminOf(server.url);
    const rules = 'on >secret ~ids:* +eval +evalsha +info +type +hmget +hget +hset +time +select';
    await admin.redis.call('ACL', 'SETUSER', 'dispenser', 'reset', ...rules.split(' '));
    const url = server.url.replace('redis://', 'redis://dispenser:secret@');
    const { redis: driver, close } = await openNodeRedis(redis, `${url}/3`);
    onTestFinished(close);
    expect(await (await open(driver)).next()).toBe(1);
    expect(await admin.redis.client('LIST')).toContain('name=ids');
    await expect(openNodeRedis(redis, 'redis://me:hunter2@127.0.0.1:1')).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/^no Redis answers at 127\.0\.0\.1:1: .*ECONNREFUSED/),
    });
    await expect(openNodeRedis(redis, `${server.url}/orders`)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
    });
    await expect(openNodeRedis(redis, url.replace('secret', 'wrong'))).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('rejects the user or password'),
    });
    await expect(openNodeRedis(redis, `${url}/99`)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('the server has no database 99'),
    });
  });
});

it('says of a cluster whether a primary is connected', () => {
  const cluster = (masters: unknown) =>
    new NodeRedisDriver({ isOpen: true, masters, withCommandOptions: () => cluster } as never).status;
  expect(cluster([])).toBe('ready');
  expect(cluster([{}, { client: { isReady: false } }])).toBe('connecting');
  expect(cluster([{ client: { isReady: true } }, { client: { isReady: false } }])).toBe('ready');
});
