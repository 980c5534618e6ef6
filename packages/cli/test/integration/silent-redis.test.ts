import { startRedis } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { expect, onTestFinished } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

faultTest('doctor and next name a Redis that accepts and never answers, and end', async () => {
  const own = await openOwnSchema();
  await own.configure({ order: { strategy: 'segment-redis-db' } });
  const redis = await startRedis();
  onTestFinished(() => redis.close());
  const environment = { IDS_DATABASE_URL: own.url, IDS_REDIS_URL: redis.url };
  await own.ids(['apply'], environment);
  await injectFault(() => redis.pause());
  const where = `127.0.0.1:${redis.port} did not answer within`;
  const doctor = await own.ids(['doctor'], environment);
  expect(doctor).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`wrong\tredis\tRedis at ${where}`),
  });
  expect(await own.ids(['next', 'order'], environment)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(where),
  });
});
