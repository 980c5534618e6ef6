import { createHttpGenerator } from '@ids/http';
import { startFaultProxy, startPostgresReplication, startRedis, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createKeyedSegmentRedisDbGenerator, createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { Redis } from 'ioredis';
import { expect, inject } from 'vitest';
import { type Drawn, draw, openClient } from '../support/clients.js';
import { createFamily } from '../support/family.js';
import { createTable } from '../support/sequence.js';
import { serveHere } from '../support/serve-in-process.js';

/** All calls got ids, and none of them twice. */
function expectAllDifferent(drawn: readonly Drawn[], count: number): void {
  expect(drawn.flatMap(({ errors }) => errors)).toEqual([]);
  expect(new Set(drawn.flatMap(({ ids }) => ids)).size).toBe(count);
}

faultTest(
  'a client gets no id twice, and rising ones, after the Redis of its server was flushed',
  async () => {
    const database = inject('databaseUrl');
    const [table, family] = [
      await createTable(database, uniqueName('flushed')),
      await createFamily(database),
    ];
    await table.createSequence('order');
    await using redis = await startRedis();
    await using server = await serveHere();
    const shared = { redis: redis.url, database } as const;
    const order = await createSegmentRedisDbGenerator({ ...shared, table: table.table, name: 'order' });
    server.generators.order = { generator: order, realm: 'order' };
    const message = await createKeyedSegmentRedisDbGenerator({
      ...shared,
      table: family.table,
      name: 'message',
      keyed: true,
    });
    server.generators.message = { generator: message, realm: 'message' };

    const one = await createHttpGenerator({ url: server.url, name: 'order', order: 'real-time' });
    const { ids: byKey } = await openClient(server.url, 'keyed', 30_000, 'message');
    const clients = [one, byKey];
    const before = await Promise.all(clients.map((ids) => draw(ids, 5)));
    const during = Promise.all(clients.map((ids) => draw(ids, 40)));
    await injectFault(async () => {
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
    });
    const losses = () => [order, message].map((generator) => generator.counters?.().stateLosses ?? 0);
    await felt('a Redis without its state', () => losses().every((count) => count > 0), during);
    const after = await during;
    for (const [index, client] of clients.entries()) {
      const drawn = [before[index], after[index]].filter((one) => one !== undefined);
      expectAllDifferent(drawn, 4 * 45 * 3);
      const [first = [], later = []] = drawn.map(({ ids }) => ids.map(Number));
      expect(Math.min(...later)).toBeGreaterThan(Math.max(...first));
      await client.close();
    }
  },
);

faultTest('clients get no id twice after a database was promoted behind their server', async () => {
  await using replication = await startPostgresReplication();
  const { primary, standby, link } = replication;
  const host = '127.0.0.1';
  await using address = await startFaultProxy({ target: { host, port: primary.port } });
  const database = address.url(primary.url);
  const [table, family] = [await createTable(database, 'promoted'), await createFamily(database)];
  await using server = await serveHere();
  for (const [name, order] of [
    ['ids', 'real-time'],
    ['segments', 'increasing'],
  ] as const) {
    await table.createSequence(name);
    await server.serveSequence(table, name, order);
  }
  server.generators.keyed = await family.open();

  const modes = ['ids', 'segments', 'keyed'] as const;
  const clients = await Promise.all(modes.map((mode) => openClient(server.url, mode, 30_000, mode)));
  const drawEach = (each: number) => Promise.all(clients.map(({ ids }) => draw(ids, each)));
  const before = await drawEach(5);
  await replication.caughtUp();
  await injectFault(() => link.setMode('blackhole'));
  const lost = await drawEach(5);
  await injectFault(async () => {
    await replication.promote();
    address.retarget({ host, port: standby.port });
    address.cut();
  });
  const after = await drawEach(10);
  const { ids, keyed } = server.generators;
  // Ranges are leased by the server, and it is the client that hears what became of the store.
  for (const issuer of [ids?.generator, clients[1]?.ids, keyed?.generator])
    expect(issuer?.health().lastRegression).toBeDefined();
  for (const [index, client] of clients.entries()) {
    const drawn = [before[index], lost[index], after[index]].filter((one) => one !== undefined);
    expectAllDifferent(drawn, 4 * 20 * 3);
    await client.ids.close();
  }
});
