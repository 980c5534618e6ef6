import type {} from '@ids/local-services/vitest-setup';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { expect, inject, it } from 'vitest';
import { insertOrders } from '../../src/recipes/pg.js';
import { ownSchema } from '../support/own-schema.js';

it('plain pg inserts many rows by one request for ids and one statement', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await createSegmentRedisDbGenerator({
    name: 'order',
    database: schema.pool,
    redis: inject('redisUrl'),
    keyPrefix: `${schema.name}:`,
  });
  const items = Array.from({ length: 1_000 }, (_, index) => `item ${index}`);

  const given = await insertOrders(schema.pool, ids, items);
  expect(await insertOrders(schema.pool, ids, [])).toEqual([]);
  const { rows } = await schema.pool.query('SELECT id, item FROM orders ORDER BY id');
  expect(rows).toEqual(given.map((id, index) => ({ id: String(id), item: items[index] })));
  expect(given).toEqual(given.toSorted((a, b) => a - b));
});
