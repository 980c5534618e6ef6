import type {} from '@ids/local-services/vitest-setup';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { expect, inject, it } from 'vitest';
import { truncateTables } from '../../src/recipes/truncate-tables.js';
import { ownSchema } from '../support/own-schema.js';

it('tables are emptied between tests, and ids go on', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const { pool } = schema;
  await using ids = await createSegmentInprocGenerator({ name: 'order', database: pool });
  await pool.query('INSERT INTO orders (id, item) VALUES ($1, $2)', [await ids.next(), 'book']);
  await expect(pool.query('TRUNCATE id_segment')).rejects.toMatchObject({ code: '23001' });
  await truncateTables(pool);
  expect((await pool.query('SELECT FROM orders')).rowCount).toBe(0);
  await using later = await createSegmentInprocGenerator({ name: 'order', database: pool });
  expect(await later.next()).toBeGreaterThan(1);
});
