import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { startFaultProxy } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';
import { ServiceProcess } from '../support/service-process.js';

faultTest(
  'a service that is told to end answers who waits for an id, takes nobody new, and ends with code 0',
  async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    const { hostname, port } = new URL(schema.url);
    await using proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
    const generators = { order: { strategy: 'segment-inproc' } };
    await using folder = await configFolder({ database: proxy.url(schema.url), generators });
    await using service = await ServiceProcess.start(folder.cwd);

    await injectFault(() => proxy.setMode('blackhole'));
    const waiting = request(`${service.origin}/orders`, {
      method: 'POST',
      headers: { expect: '100-continue' },
    });
    waiting.flushHeaders();
    // The answer to `expect` says that the request was taken on.
    await once(waiting, 'continue');
    const answered = once(waiting, 'response') as Promise<[IncomingMessage]>;
    let served = false;
    answered.then(
      () => {
        served = true;
      },
      () => undefined,
    );
    waiting.end();
    await service.terminate();
    expect(await service.refuses()).toBe(true);
    // Whoever reaches the database is answered meanwhile.
    for (let answers = 0; answers < 50 && !served; answers++) await schema.pool.query('SELECT 1');
    expect(served).toBe(false);
    await injectFault(() => proxy.setMode('pass'));

    const [response] = await answered;
    expect([response.statusCode, await json(response)]).toEqual([201, { id: '1' }]);
    expect(await service.exit()).toEqual([0, null]);
  },
);

it('a service that is told to end is not ready at once, and serves who comes all the same until it closes', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const generators = { order: { strategy: 'segment-inproc' } };
  await using folder = await configFolder({ database: schema.url, generators });
  await using service = await ServiceProcess.start(folder.cwd, 1_000);
  const status = async (path: string, method = 'GET') =>
    (await fetch(`${service.origin}${path}`, { method, headers: { connection: 'close' } })).status;
  expect([await status('/readyz'), await status('/orders', 'POST')]).toEqual([200, 201]);

  await service.terminate();
  expect([await status('/readyz'), await status('/orders', 'POST')]).toEqual([503, 201]);
  expect(await service.exit()).toEqual([0, null]);
  await expect(status('/readyz')).rejects.toThrow('fetch failed');
});
