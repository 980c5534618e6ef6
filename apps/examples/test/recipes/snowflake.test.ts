import type {} from '@ids/local-services/vitest-setup';
import { layoutOf } from '@ids/snowflake';
import { drizzle } from 'drizzle-orm/node-postgres';
import { expect, inject, it } from 'vitest';
import { ordersTable } from '../../src/recipes/drizzle.js';
import { insertOrders } from '../../src/recipes/pg.js';
import { issuedAt, ordersSince } from '../../src/recipes/snowflake.js';
import { openSnowflakes } from '../support/open-snowflakes.js';
import { ownSchema } from '../support/own-schema.js';

it('snowflakes say when they were issued, and are found by time without another index', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  const layout = layoutOf('41+6+6');
  await using ids = await openSnowflakes(pool, 'number', '41+6+6');
  const [first = 0] = await insertOrders(pool, ids, ['a']);
  let [second = 0] = await insertOrders(pool, ids, ['b']);
  // The next unit of time.
  while (issuedAt(second, layout) <= issuedAt(first, layout))
    [second = 0] = await insertOrders(pool, ids, ['b']);
  expect(Math.abs(issuedAt(first, layout).getTime() - Date.now())).toBeLessThan(60_000);
  const found = await ordersSince(pool, issuedAt(second, layout), layout);
  expect(found).toContain(second);
  expect(found).not.toContain(first);
  expect(await ordersSince(pool, new Date(0), layout)).toContain(first);
  expect(() => issuedAt(-1, layout)).toThrow(RangeError);
});

it('snowflakes are the default values of a table of Drizzle, in the order of the inserts', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await using ids = await openSnowflakes(schema.pool, 'number', '41+6+6');
  await ids.ready();
  const db = drizzle({ client: schema.pool });
  const orders = ordersTable(ids);
  // More rows than the layout has ids in a millisecond.
  const rows = Array.from({ length: 500 }, (_, index) => ({ item: `order ${index}` }));
  const made = await db.insert(orders).values(rows).returning();
  expect(await db.select().from(orders).orderBy(orders.id)).toEqual(made);
  expect(made.map(({ item }) => item)).toEqual(rows.map(({ item }) => item));
  const times = made.map(({ id }) => issuedAt(id, layoutOf('41+6+6')).getTime());
  expect(new Set(times).size).toBeGreaterThan(7);
});
