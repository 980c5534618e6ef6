import { startFaultProxy, startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { buildApp } from '../../src/recipes/fastify.js';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';

it('Fastify routes find ids on the instance, and the health route tells how they are', async () => {
  await using folder = await configFolder({ generators: { order: { strategy: 'objectid' } } });
  const app = await buildApp({ cwd: folder.cwd, environment: {} }, false);
  const created = await app.inject({ method: 'POST', url: '/orders' });
  expect(created.statusCode).toBe(201);
  expect(created.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/) });
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  app.drain();
  expect((await app.inject('/readyz')).statusCode).toBe(503);
  expect((await app.inject({ method: 'POST', url: '/orders' })).statusCode).toBe(201);
  await app.orderIds.close();
  expect((await app.inject('/readyz')).statusCode).toBe(503);
  await app.close();
});

faultTest(
  'Fastify asks to try again while ids cannot be given, and shows nothing of the backends',
  async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    await using redis = await startRedis();
    const order = { strategy: 'segment-redis-db', deadlineMs: 2_000 };
    const config = { database: schema.url, redis: redis.url, generators: { order } };
    await using folder = await configFolder(config);
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const app = await buildApp({ cwd: folder.cwd, environment: {} }, { level: 'error', stream });
    await injectFault(() => redis.kill());
    const refused = await app.inject({ method: 'POST', url: '/orders' });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
    expect(refused.json()).toEqual({ error: 'no id can be issued now' });
    expect(lines.map((line) => JSON.parse(line).err.code)).toEqual(['ERR_IDS_UNAVAILABLE']);
    await app.orderIds.close();
    const closed = await app.inject({ method: 'POST', url: '/orders' });
    expect([closed.statusCode, closed.json()]).toEqual([500, { error: 'no id can be issued' }]);
    await app.close();
  },
);

it('Fastify answers the request that waits for its id before the ids are closed', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { hostname, port } = new URL(schema.url);
  await using proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
  const order = { strategy: 'segment-inproc' };
  await using folder = await configFolder({ database: proxy.url(schema.url), generators: { order } });
  const app = await buildApp({ cwd: folder.cwd, environment: {} }, false);
  const handled = new Promise<void>((resolve) => app.addHook('preHandler', async () => resolve()));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const { orderIds } = app;

  await proxy.setMode('blackhole');
  const answer = fetch(`${origin}/orders`, { method: 'POST' });
  await handled;
  const closing = app.close();
  await proxy.setMode('pass');
  const response = await answer;
  expect([response.status, await response.json()]).toEqual([201, { id: '1' }]);
  await closing;
  expect(orderIds.health().status).toBe('closed');
});
