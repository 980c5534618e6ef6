import { openIds } from '@ids/config';
import { IdError } from '@ids/core';
import { type FastifyIdsOptions, fastifyIds, idErrorHandler } from '@ids/fastify';
import { startFaultProxy, startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { objectid } from '@ids/objectid';
import Fastify from 'fastify';
import { expect, inject, it } from 'vitest';
import { serviceStrategies } from '../../src/open-service-ids.js';
import { buildApp } from '../../src/recipes/fastify.js';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';

const strategies = serviceStrategies;
const objectids = { config: { generators: { order: { strategy: 'objectid' } } } } as const;

it('Fastify routes find ids on the instance, and the health route tells how they are', async () => {
  await using folder = await configFolder(objectids.config);
  const app = buildApp({ strategies, cwd: folder.cwd, environment: {} }, false);
  const created = await app.inject({ method: 'POST', url: '/orders' });
  expect(created.statusCode).toBe(201);
  expect(created.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/) });
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  app.drain();
  expect((await app.inject('/readyz')).statusCode).toBe(503);
  expect((await app.inject({ method: 'POST', url: '/orders' })).statusCode).toBe(201);
  await app.ids.close();
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
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const app = buildApp({ strategies, config }, { level: 'error', stream });
    await app.ready();
    await injectFault(() => redis.kill());
    const refused = await app.inject({ method: 'POST', url: '/orders' });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
    expect(refused.json()).toEqual({ error: 'no id can be issued now' });
    const codes = lines.map((line) => JSON.parse(line).err?.code).filter(Boolean);
    expect(codes).toEqual(['ERR_IDS_UNAVAILABLE']);
    await app.ids.close();
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
  const config = { database: proxy.url(schema.url), generators: { order } };
  const app = buildApp({ strategies, config }, false);
  const handled = new Promise<void>((resolve) => app.addHook('preHandler', async () => resolve()));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const orderIds = app.ids.get('order');

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

it('Fastify leaves ids open that the caller opened', async () => {
  await using ids = await openIds({ strategies: [objectid], ...objectids });
  const app = buildApp({ ids }, false);
  expect((await app.inject({ method: 'POST', url: '/orders' })).statusCode).toBe(201);
  await app.close();
  expect(ids.get('order').health().status).toBe('ok');
});

it('Fastify passes errors that are not about ids to the handler of the application', async () => {
  const noId = async () => Promise.reject(new IdError('ERR_IDS_TIMEOUT', 'redis-7'));
  const app = Fastify();
  app.setErrorHandler((error: Error, _, reply) => reply.code(418).send(error.message));
  app.register(async (scope) => {
    scope.register(fastifyIds, { strategies, ...objectids });
    scope.get('/other', async () => Promise.reject(new Error('own')));
    scope.get('/no-id', noId);
  });
  app.register(async (scope) => {
    scope.register(fastifyIds, { strategies, ...objectids, errorHandler: false });
    scope.get('/above', noId);
    scope.get('/called', { errorHandler: idErrorHandler }, noId);
  });
  const answers = ['/other', '/no-id', '/above', '/called'].map((url) => app.inject(url));
  const codes = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
  expect(codes).toEqual([418, 503, 418, 503]);
  await app.close();
});

it.each([
  ['neither strategies nor ids', {}],
  ['an unknown strategy', { strategies, config: { generators: { order: { strategy: 'nope' } } } }],
  ['a wrong errorHandler', { strategies, ...objectids, errorHandler: 'yes' }],
])('Fastify does not start with %s', async (_, options) => {
  const app = buildApp(options as FastifyIdsOptions, false);
  await expect(app.ready()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  await app.close();
});

it('Fastify does not start without a generator that routes ask for, and closes the others', async () => {
  const app = buildApp({ strategies, config: { generators: { bill: { strategy: 'objectid' } } } }, false);
  await expect(app.ready()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  const bills = app.ids.get('bill');
  await app.close();
  expect(bills.health().status).toBe('closed');
});

it('Fastify opens nothing for a second registration', async () => {
  let opened = 0;
  const counted = { ...objectid, create: () => Promise.reject(new Error(`opened ${++opened}`)) };
  const app = Fastify();
  app.register(fastifyIds, { strategies, ...objectids });
  app.register(fastifyIds, { strategies: [counted], ...objectids });
  await expect(app.ready()).rejects.toMatchObject({ code: 'FST_ERR_DEC_ALREADY_PRESENT' });
  expect(opened).toBe(0);
  await app.close();
});
