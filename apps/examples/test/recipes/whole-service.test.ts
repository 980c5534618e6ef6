import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';
import { ServiceProcess, WHOLE_SERVICE } from '../support/service-process.js';

it('one program issues ids, shows health and metrics, and drains before it ends', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const order = { strategy: 'segment-inproc' };
  await using folder = await configFolder({ database: schema.url, generators: { order } });
  await using service = await ServiceProcess.start(folder.cwd, 1_000, {}, WHOLE_SERVICE);
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(service.origin + path, { method, headers: { connection: 'close' } });
    return [response.status, await response.text()] as const;
  };
  expect(await ask('/orders', 'POST')).toEqual([201, '{"id":"1"}']);
  expect(await ask('/readyz')).toEqual([200, expect.stringContaining('"order":{"status":"ok"')]);
  expect(await ask('/metrics')).toEqual([200, expect.stringMatching(/^idgen_id_issued_total\{[^}]*\} 1$/m)]);
  await service.terminate();
  expect(await ask('/readyz')).toEqual([503, expect.stringContaining('"draining":true')]);
  expect(await ask('/orders', 'POST')).toEqual([201, '{"id":"2"}']);
  expect(await service.exit()).toEqual([0, null]);
});
