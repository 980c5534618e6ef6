import { expect, it } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  segmentGrants,
  setFloor,
  whoIssued,
} from '../../src/sql/index.js';
import { openDatabase, openPoolAs } from './sql-database.js';

const HIDDEN = {
  code: 'ERR_IDS_CONFIG',
  message: expect.stringMatching(/"order".*DISABLE ROW LEVEL SECURITY/),
};

/** A sequence in a table with row-level security, and a role with all rights that no policy lets in. */
async function openSecured() {
  const { executor: owner, pool, table, schema } = await openDatabase();
  await ensureSchema(owner, { table, log: true });
  await createSequence(owner, 'order', { table });
  const executor = fromPg(await openPoolAs(schema));
  await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${schema}; GRANT SELECT ON ${table}_log TO ${schema}`);
  await pool.query(segmentGrants(schema, { table }));
  await pool.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  return { pool, table, schema, executor, source: new SqlSegmentSource(executor, { table }) };
}

it('says of a row that row-level security hides what hides it and what mends it', async () => {
  const { pool, table, executor, source } = await openSecured();
  await expect(source.describe('order')).rejects.toMatchObject(HIDDEN);
  await expect(source.reserve('order', 5)).rejects.toMatchObject(HIDDEN);
  await expect(source.reserve('order', 5, { floor: 7 })).rejects.toMatchObject(HIDDEN);
  await expect(setFloor(executor, 'order', 5, { table })).rejects.toMatchObject(HIDDEN);
  await expect(whoIssued(executor, 'order', 5, { table })).rejects.toMatchObject(HIDDEN);
  await pool.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
  expect(await source.reserve('order', 5)).toMatchObject({ low: 1, high: 5 });
});

it('says so of a row that a policy shows and does not let change', async () => {
  const { pool, table, schema, executor, source } = await openSecured();
  await pool.query(`CREATE POLICY see ON ${table} FOR SELECT TO ${schema} USING (true)`);
  await source.describe('order');
  await expect(source.reserve('order', 5)).rejects.toMatchObject(HIDDEN);
  await expect(setFloor(executor, 'order', 5, { table })).rejects.toMatchObject(HIDDEN);
  await pool.query(`CREATE POLICY change ON ${table} FOR UPDATE TO ${schema} USING (true)`);
  expect(await source.reserve('order', 5)).toMatchObject({ low: 1, high: 5 });
});

it('says of a sequence that is missing that it is, where no row-level security applies', async () => {
  const { table, schema, pool } = await openSecured();
  const owner = new SqlSegmentSource(fromPg(pool), { table });
  const missing = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('createSequence') };
  await expect(owner.reserve('ticket', 5)).rejects.toMatchObject(missing);
  await pool.query(`ALTER ROLE ${schema} BYPASSRLS`);
  expect(await owner.reserve('order', 5)).toMatchObject({ low: 1, high: 5 });
});
