import type {} from '@ids/local-services/vitest-setup';
import { fillIds } from '@ids/prisma';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import { model } from 'mongoose';
import { expect, inject, it } from 'vitest';
import { openServiceIds } from '../../src/open-service-ids.js';
import { ordersTable } from '../../src/recipes/drizzle.js';
import { type Database, placeOrder } from '../../src/recipes/kysely.js';
import { orderSchema } from '../../src/recipes/mongoose.js';
import { observeIds } from '../../src/recipes/opentelemetry.js';
import { insertOrders } from '../../src/recipes/pg.js';
import { orderIdSubscriber } from '../../src/recipes/typeorm.js';
import { configFolder } from '../support/config-folder.js';
import { type OwnSchema, ownSchema } from '../support/own-schema.js';

/** The servers that a file names for all of its generators. */
const backends = (schema: OwnSchema) => ({ database: schema.url, redis: inject('redisUrl') });

it('recipes take the generators of a config file, typed by what they need', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using folder = await configFolder({
    ...backends(schema),
    generators: {
      order: { strategy: 'segment-inproc' },
      shared: { strategy: 'segment-redis-db', name: 'order', keyPrefix: `${schema.name}:` },
      big: { strategy: 'segment-inproc', name: 'order', as: 'bigint' },
    },
  });
  await using ids = await openServiceIds({ cwd: folder.cwd, environment: {} });
  const local = ids.get('order', { type: 'number', sync: true });
  const shared = ids.get('shared', { type: 'number', order: { cluster: 'real-time' } });
  await local.ready();

  const orders = ordersTable(local);
  await drizzle({ client: schema.pool }).insert(orders).values({ item: 'by Drizzle' });
  await insertOrders(schema.pool, shared, ['by pg']);
  const Order = model('Order', orderSchema(local));
  expect(new Order({ item: 'by Mongoose' })._id).toBeGreaterThan(0);
  const { rows } = await schema.pool.query('SELECT item FROM orders ORDER BY item');
  expect(rows).toEqual([{ item: 'by Drizzle' }, { item: 'by pg' }]);

  await schema.pool.query('ALTER TABLE orders RENAME COLUMN item TO customer');
  await schema.pool.query(
    'CREATE TABLE order_lines (order_id bigint REFERENCES orders, line int, item text)',
  );
  const kysely = new Kysely<Database>({ dialect: new PostgresDialect({ pool: schema.pool }) });
  await placeOrder(kysely, shared, 'Ada', ['tea']);

  // Their frameworks have tests of their own.
  expect(orderIdSubscriber(shared)).toHaveProperty('beforeInsert');
  expect(fillIds({ Order: ids.get('big', { type: 'bigint' }) })).toBeTypeOf('function');
});

it('OpenTelemetry shows every strategy, each by what it can count', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  await using provider = new ClosingProvider({
    readers: [new PeriodicExportingMetricReader({ exporter })],
  });
  metrics.setGlobalMeterProvider(provider);
  await using schema = await ownSchema(inject('databaseUrl'));
  await using folder = await configFolder({
    ...backends(schema),
    generators: {
      event: { strategy: 'objectid' },
      process: { strategy: 'gpid', port: 0 },
      order: { strategy: 'segment-inproc', encode: { as: 'base62', prefix: 'ord_' } },
      shared: { strategy: 'segment-redis-db', name: 'order', keyPrefix: `${schema.name}:` },
    },
  });
  await using ids = await openServiceIds({ cwd: folder.cwd, environment: {} });
  const end = observeIds(ids.generators);
  for (const generator of Object.values(ids.generators)) await generator.nextBatch(7);
  await provider.forceFlush();
  end();

  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => ({ name: descriptor.name, attributes, value })),
    );
  const shown = (name: string) =>
    Object.fromEntries(
      points
        .filter((point) => point.name === name)
        .map(({ attributes, value }) => [attributes['idgen.sequence'], value]),
    );
  expect(shown('idgen.backend.up')).toEqual({ event: 1, process: 1, order: 1, shared: 1 });
  expect(shown('idgen.id.issued')).toEqual({ event: 7, process: 7, order: 7, shared: 7 });
  expect(shown('idgen.take.count')).toEqual({ shared: expect.any(Number) });
  expect(shown('idgen.wait.count')).toEqual({ order: 1 });
});

class ClosingProvider extends MeterProvider implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    metrics.disable();
    await this.shutdown();
  }
}
