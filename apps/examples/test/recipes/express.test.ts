import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { buildExpress } from '../../src/recipes/express.js';
import { configFolder } from '../support/config-folder.js';
import { proxiedSchema } from '../support/proxied-schema.js';

/** The application, listening; `post` orders, and returns what was answered. */
async function listening(config: object) {
  await using folder = await configFolder(config);
  const { app, close } = await buildExpress({ cwd: folder.cwd, environment: {} });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const post = async (): Promise<unknown[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST' });
    return [response.status, response.headers.get('retry-after'), await response.json()];
  };
  return { post, close, [Symbol.dispose]: () => void server.close() };
}

it('Express routes answer with ids, and with 500 once there will be none', async () => {
  using app = await listening({ generators: { order: { strategy: 'uuid7' } } });
  expect(await app.post()).toEqual([201, null, { id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  await app.close();
  expect(await app.post()).toEqual([500, null, { error: 'no id can be issued' }]);
});

faultTest(
  'Express asks to try again while ids cannot be given, and shows nothing of the backends',
  async () => {
    await using schema = await proxiedSchema(inject('databaseUrl'));
    const order = { strategy: 'segment-inproc', deadlineMs: 1_000 };
    using app = await listening({ database: schema.url, generators: { order } });
    await injectFault(() => schema.proxy.setMode('blackhole'));
    expect(await app.post()).toEqual([503, '2', { error: 'no id can be issued now' }]);
    await app.close();
  },
);
