import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createUuid7Generator } from '@ids/uuid7';
import { expect, inject, it } from 'vitest';
import { orderRoutes } from '../../src/recipes/hono.js';
import { proxiedSchema } from '../support/proxied-schema.js';

const post = async (app: ReturnType<typeof orderRoutes>) => {
  const response = await app.request('/orders', { method: 'POST' });
  return [response.status, response.headers.get('retry-after'), await response.json()];
};

it('Hono routes answer with ids, and with 500 once there will be none', async () => {
  const ids = createUuid7Generator();
  const app = orderRoutes(ids);
  expect(await post(app)).toEqual([201, null, { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  await ids.close();
  expect(await post(app)).toEqual([500, null, { error: 'no id can be issued' }]);
});

faultTest('Hono asks to try again while ids cannot be given, and shows nothing of the backends', async () => {
  await using schema = await proxiedSchema(inject('databaseUrl'));
  const options = { name: 'order', database: schema.url, deadlineMs: 1_000 };
  await using ids = await createSegmentInprocGenerator(options);
  await injectFault(() => schema.proxy.setMode('blackhole'));
  expect(await post(orderRoutes(ids))).toEqual([503, '2', { error: 'no id can be issued now' }]);
});
