import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, inject, it } from 'vitest';
import { ordersTable } from '../../src/recipes/drizzle.js';
import { ownSchema } from '../support/own-schema.js';

it('Drizzle fills the ids that an insert leaves out, one by one and in bulk', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  await ids.ready();
  const db = drizzle({ client: schema.pool });
  const orders = ordersTable(ids);

  await db.insert(orders).values({ item: 'one' });
  await db.insert(orders).values([{ item: 'two' }, { item: 'three' }, { id: 5_000_000, item: 'own' }]);
  expect(await db.select().from(orders).orderBy(orders.id)).toEqual([
    { id: 1, item: 'one' },
    { id: 2, item: 'two' },
    { id: 3, item: 'three' },
    { id: 5_000_000, item: 'own' },
  ]);
});

it('Drizzle refuses an insert before the generator is ready, and writes nothing', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: schema.pool });
  const db = drizzle({ client: schema.pool });
  const orders = ordersTable(ids);

  expect(() => db.insert(orders).values({ item: 'early' }).toSQL()).toThrow(
    expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }),
  );
  expect(await db.select().from(orders)).toEqual([]);
  await ids.ready();
  await db.insert(orders).values({ item: 'late' });
  expect(await db.select().from(orders)).toEqual([{ id: 1, item: 'late' }]);
});
