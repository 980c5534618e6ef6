import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createObjectIdGenerator } from '@ids/objectid';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { Redis } from 'ioredis';
import { expect, inject } from 'vitest';
import { healthRoutes } from '../../src/recipes/health.js';
import { ownSchema } from '../support/own-schema.js';

faultTest(
  'the health routes take a process whose Redis died off the load balancer, leave it alive, and put it back',
  async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    const redis = await startRedis();
    // Fails at once while Redis is gone, so that no call is under way any more when it comes back.
    const client = new Redis(redis.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
    await once(client, 'ready');
    const order = await createSegmentRedisDbGenerator({
      name: 'order',
      redis: client,
      database: schema.pool,
      keyPrefix: `${uniqueName('health')}:`,
      deadlineMs: 1_000,
    });
    await using event = createObjectIdGenerator();
    const server = createServer(healthRoutes({ order, event })).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      return { code: response.status, body: (await response.json()) as unknown };
    };
    try {
      await order.ready();
      expect(await ask('/readyz')).toEqual({
        code: 200,
        body: { order: { status: 'ok', remaining: expect.any(Number) }, event: { status: 'ok' } },
      });

      await injectFault(() => redis.kill());
      await expect(order.next()).rejects.toMatchObject({ retryable: true });
      expect(await ask('/readyz')).toEqual({
        code: 503,
        body: { order: { status: 'down', remaining: 0, error: expect.any(String) }, event: { status: 'ok' } },
      });
      expect((await ask('/livez')).code).toBe(200);

      await injectFault(() => redis.restart());
      // Nobody asks for ids: the probes alone find out.
      await expect.poll(async () => (await ask('/readyz')).code).toBe(200);
      expect(await order.next()).toBeGreaterThan(0);
    } finally {
      await order.close();
      client.disconnect();
      server.close();
      await redis.close();
    }
  },
);
