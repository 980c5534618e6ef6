import { uniqueName } from '@ids/local-services';
import { expect, it, onTestFinished } from 'vitest';
import { createSequence, ensureSchema, fromPg, SqlSegmentSource } from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { connect, openPool } from './sql-database.js';

/** A pool of one connection whose search path is a new schema, with a sequence `order` in its table. */
async function openOrders(schema: string, startAfter: number, { log = false, max = 1 } = {}) {
  const admin = openPool();
  await admin.query(`CREATE SCHEMA "${schema}"`);
  onTestFinished(async () => void (await admin.query(`DROP SCHEMA "${schema}" CASCADE`)));
  const pool = openPool({ max, options: `-c search_path="${schema}"` });
  await ensureSchema(fromPg(pool), { log });
  await createSequence(fromPg(pool), 'order', { startAfter });
  return pool;
}

it.for([{ log: false }, { log: true }])(
  'stays with its table when somebody changes the search path of a connection (log: $log)',
  async ({ log }) => {
    const [one, two] = [uniqueName('one'), uniqueName('two')];
    const pool = await openOrders(one, 0, { log });
    await openOrders(two, 1_000, { log });
    const source = new SqlSegmentSource(fromPg(pool), { log, owner: 'desk 3' });
    await source.describe('order');
    await pool.query(`SET search_path = "${two}"`);
    expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
    expect(await source.describe('order')).toMatchObject({ maxId: 10 });
  },
);

it('stays with the table of its first reservation if it was not described before', async () => {
  const [one, two] = [uniqueName('one'), uniqueName('two')];
  const pool = await openOrders(one, 0);
  await openOrders(two, 1_000);
  const source = new SqlSegmentSource(fromPg(pool));
  expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
  await pool.query(`SET search_path = "${two}"`);
  expect(await source.reserve('order', 10)).toEqual({ low: 11, high: 20, origin });
});

it('decides for one table when its first reads run on connections with different search paths', async () => {
  const [one, two] = [uniqueName('one'), uniqueName('two')];
  const pool = await openOrders(one, 0, { max: 2 });
  await openOrders(two, 1_000);
  const [first, second] = [await connect(pool), await connect(pool)];
  await second.query(`SET search_path = "${two}"`);
  first.release();
  second.release();
  const source = new SqlSegmentSource(fromPg(pool));
  const [here, there] = await Promise.all([source.describe('order'), source.describe('order')]);
  expect(there.realm).toBe(here.realm);
  const { low } = await source.reserve('order', 10);
  expect(low).toBe(here.maxId + 1);
});

it('finds a log that is in another schema than its table', async () => {
  const [one, two] = [uniqueName('one'), uniqueName('two')];
  const pool = await openOrders(one, 0);
  await openOrders(two, 1_000, { log: true });
  await pool.query(`ALTER TABLE "${two}".id_segment RENAME TO elsewhere`);
  await pool.query(`SET search_path = "${two}", "${one}"`);
  const source = new SqlSegmentSource(fromPg(pool), { log: true, owner: 'desk 3' });
  await source.describe('order');
  await pool.query('SET search_path = pg_catalog');
  expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
  const { rows } = await pool.query(`SELECT owner FROM "${two}".id_segment_log`);
  expect(rows).toEqual([{ owner: 'desk 3' }]);
});
