import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { openServiceIds } from '../../src/open-service-ids.js';
import { metricsRoute } from '../../src/recipes/prometheus.js';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';

it('Prometheus scrapes what every generator of a config can tell', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using folder = await configFolder({
    database: schema.url,
    redis: inject('redisUrl'),
    generators: {
      event: { strategy: 'objectid' },
      page: { strategy: 'uuid7', encode: { form: 'typeid', prefix: 'page' } },
      host: { strategy: 'gpid', port: 0 },
      order: { strategy: 'segment-inproc' },
      shared: { strategy: 'segment-redis-db', name: 'order', keyPrefix: `${schema.name}:` },
    },
  });
  await using ids = await openServiceIds({ cwd: folder.cwd, environment: {} });
  const { listener, end } = metricsRoute(ids.generators);
  await using server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await ids.get('order').nextBatch(42);
  await ids.get('shared').nextBatch(3);
  await ids.get('event').nextBatch(5);
  await ids.get('page').next();

  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  const value = (metric: string, sequence: string) =>
    new RegExp(`^${metric}\\{[^}]*idgen_sequence="${sequence}"[^}]*\\} (\\S+)`, 'm').exec(text)?.[1];
  expect(value('idgen_id_issued_total', 'order')).toBe('42');
  expect(value('idgen_id_issued_total', 'shared')).toBe('3');
  // Strategies that need no server count too, each generator its own.
  expect(value('idgen_id_issued_total', 'event')).toBe('5');
  expect(value('idgen_id_issued_total', 'page')).toBe('1');
  expect(value('idgen_id_issued_total', 'host')).toBe('0');
  expect(value('idgen_refill_count_total', 'event')).toBeUndefined();
  expect(value('idgen_backend_up', 'event')).toBe('1');
  await end();
});
