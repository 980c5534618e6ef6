import type {} from '@ids/local-services/vitest-setup';
import { fromPg } from '@ids/segment/sql';
import { createSnowflakeGenerator, layoutOf } from '@ids/snowflake';
import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
import { expect, inject, it } from 'vitest';
import { insertOrders } from '../../src/recipes/pg.js';
import { issuedAt, ordersSince } from '../../src/recipes/snowflake.js';
import { ownSchema } from '../support/own-schema.js';

it('snowflakes say when they were issued, and are found by time without another index', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await ensureSlotSchema(fromPg(pool));
  await createSlots(fromPg(pool), 'order', { layout: '41+6+6' });
  const layout = layoutOf('41+6+6');
  await using ids = await createSnowflakeGenerator({
    name: 'order',
    database: pool,
    as: 'number',
    startup: 'at-once',
  });
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
  expect(() => issuedAt(-1, layout)).toThrow(/is not an id of this layout/);
});
