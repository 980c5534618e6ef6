import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { IdGenerator } from '@ids/core';
import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { IdsModule, idsToken } from '@ids/nestjs';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { NestFactory } from '@nestjs/core';
import { expect, inject } from 'vitest';
import { IdsHealthIndicator, idsHealthModule } from '../../src/recipes/nestjs-health.js';
import { ownSchema } from '../support/own-schema.js';

faultTest(
  'terminus takes a Nest process whose Redis died off the load balancer, leaves it alive, and puts it back',
  async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    const redis = await startRedis();
    const order = { strategy: 'segment-redis-db', keyPrefix: `${uniqueName('nest')}:`, deadlineMs: 1_000 };
    const config = { database: schema.url, redis: redis.url, generators: { order } };
    class AppModule {}
    const app = await NestFactory.create(
      {
        module: AppModule,
        imports: [
          IdsModule.forRoot({ strategies: [segmentRedisDb], config, generators: ['order'] }),
          idsHealthModule(),
        ],
      },
      { logger: false },
    );
    try {
      await app.listen(0, '127.0.0.1');
      const { port } = app.getHttpServer().address() as AddressInfo;
      const ask = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/${path}`);
        return { code: response.status, body: (await response.json()) as unknown };
      };
      const ids = app.get<IdGenerator>(idsToken('order'));
      await ids.ready();
      const up = { order: { status: 'up', state: 'ok', remaining: expect.any(Number) } };
      expect(await ask('readyz')).toEqual({
        code: 200,
        body: { status: 'ok', info: up, error: {}, details: up },
      });

      // For a controller of the application.
      expect(await app.get(IdsHealthIndicator).check('order', ids)).toEqual(up);

      await injectFault(() => redis.kill());
      await expect(ids.next()).rejects.toMatchObject({ retryable: true });
      expect(await ask('readyz')).toMatchObject({
        code: 503,
        body: {
          error: { order: { status: 'down', state: 'down', error: expect.stringMatching(/^ERR_IDS_/) } },
        },
      });
      expect(await ask('livez')).toEqual({ code: 200, body: { status: 'ok' } });

      await injectFault(() => redis.restart());
      // Nobody asks for ids: the probes alone find out.
      await expect.poll(async () => (await ask('readyz')).code).toBe(200);
      expect(await ids.next()).toBeGreaterThan(0);
    } finally {
      await app.close();
      await redis.close();
    }
  },
);
