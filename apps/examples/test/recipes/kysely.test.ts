import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { type Database, placeOrder } from '../../src/recipes/kysely.js';
import { ownSchema } from '../support/own-schema.js';

it('Kysely inserts orders with lines, also where ids and transactions share the one connection of a pool', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('ALTER TABLE orders RENAME COLUMN item TO customer');
  await schema.pool.query(
    'CREATE TABLE order_lines (order_id bigint REFERENCES orders, line int, item text)',
  );
  const pool = new pg.Pool({ connectionString: schema.url, max: 1 });
  // With one id at a time, each order needs the connection twice: for its id, and for its rows.
  await using ids = await createSegmentInprocGenerator({
    name: 'order',
    database: pool,
    minStep: 1,
    maxStep: 1,
  });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  try {
    const placed = await Promise.all(
      ['Ada', 'Grace', 'Barbara'].map((customer) => placeOrder(db, ids, customer, ['tea', 'cup'])),
    );
    expect(placed).toEqual([1, 2, 3]);
    const lines = await db
      .selectFrom('order_lines')
      .selectAll()
      .orderBy('order_id')
      .orderBy('line')
      .execute();
    expect(lines).toEqual(
      ['1', '2', '3'].flatMap((order_id) => [
        { order_id, line: 0, item: 'tea' },
        { order_id, line: 1, item: 'cup' },
      ]),
    );
  } finally {
    await db.destroy();
  }
});
