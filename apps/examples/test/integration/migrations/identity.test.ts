import { fromPg } from '@ids/segment/sql';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import type { Pool } from 'pg';
import { expect, inject, it } from 'vitest';
import { continueAbove } from '../../../src/migrations/bigserial.js';
import { insertOrders } from '../../../src/recipes/pg.js';
import { runStep } from '../../support/migration-guide.js';
import { ownSchema } from '../../support/own-schema.js';

/** The bounds in the guide. */
const [OLD_END, NEW_END] = [1_000_000, 2_000_000];
const ITEMS = Array.from({ length: 500 }, (_, nr) => `new ${nr}`);

async function oldTable(id: string) {
  const schema = await ownSchema(inject('databaseUrl'));
  await schema.pool.query('DROP TABLE orders');
  await schema.pool.query(`CREATE TABLE orders (id ${id} PRIMARY KEY, item text NOT NULL)`);
  return schema;
}

/** What the old version does: the database issues the ids. */
async function insertAsBefore(pool: Pool, count = 500): Promise<void> {
  await pool.query("INSERT INTO orders (item) SELECT 'old' FROM generate_series(1, $1::int)", [count]);
}

it.each([
  ['ALWAYS', 'dropped'],
  ['ALWAYS', 'kept'],
  ['BY DEFAULT', 'dropped'],
])('old and new processes insert beside an identity %s that is %s, and back', async (when, after) => {
  await using schema = await oldTable(`bigint GENERATED ${when} AS IDENTITY`);
  const { pool } = schema;
  await insertAsBefore(pool);
  await runStep(pool, 'Bound the old sequence');
  await continueAbove(fromPg(pool), OLD_END);
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: pool });
  if (when === 'ALWAYS')
    await expect(insertOrders(pool, ids, ITEMS)).rejects.toMatchObject({ code: '428C9' });
  await runStep(pool, 'Let the identity take IDs');
  await Promise.all([insertAsBefore(pool), insertOrders(pool, ids, ITEMS)]);
  expect((await runStep(pool, 'Count both ranges')).rows).toEqual([
    { old_rows: '1000', new_rows: '500', old_end: '1000' },
  ]);

  for (const step of ['Drop the default', 'Bound the new sequence'] as const)
    await expect(runStep(pool, step)).rejects.toMatchObject({ code: '42601' });
  if (after === 'dropped') {
    await runStep(pool, 'Drop the identity');
    await expect(insertAsBefore(pool)).rejects.toMatchObject({ code: '23502' });
  }

  await runStep(pool, 'Restore the identity');
  await Promise.all([insertAsBefore(pool), insertOrders(pool, ids, ITEMS)]);
  const { rows } = await pool.query('SELECT max(id)::int AS max, count(*)::int AS count FROM orders');
  expect(rows).toEqual([{ max: NEW_END + 500, count: 2_500 }]);
  // The steps may be taken again, since the new sequence has the name of the old one.
  await pool.query("SELECT setval('orders_id_seq', $1)", [NEW_END + 500]);
});

it.each(['Bound the old sequence', 'Bound the new sequence'])(
  'the sequence of a serial column that was widened gets 64 bits: %s',
  async (step) => {
    await using schema = await oldTable('serial');
    const { pool } = schema;
    await pool.query('ALTER TABLE orders ALTER COLUMN id TYPE bigint');
    const raise = () => pool.query('ALTER SEQUENCE orders_id_seq NO MAXVALUE RESTART WITH 3000000001');
    await expect(raise()).rejects.toMatchObject({ code: '22023' });
    await runStep(pool, step);
    await raise();
    await insertAsBefore(pool, 1);
    expect((await pool.query('SELECT id FROM orders')).rows).toEqual([{ id: '3000000001' }]);
  },
);
