import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { expect, onTestFinished } from 'vitest';
import { createSequence, ensureSchema, missingSchema, SqlSegmentSource } from '../../src/sql/index.js';
import { openDatabase } from './sql-database.js';

faultTest('what a table lacks is not added while a dump reads it, and reservations go on', async () => {
  const { executor, pool, table } = await openDatabase();
  await createSequence(executor, 'order', { table });
  await pool.query(`DROP TRIGGER id_segment_guard ON ${table}`);
  const dump = await pool.connect();
  onTestFinished(() => dump.release());
  await injectFault(async () => {
    await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await dump.query(`SELECT * FROM ${table}`);
  });
  const source = new SqlSegmentSource(executor, { table });
  const added = ensureSchema(executor, { table }).catch((error: unknown) => error);
  expect(await added).toMatchObject({ code: 'ERR_IDS_TIMEOUT', cause: { code: '55P03' } });
  expect(await source.reserve('order', 10)).toMatchObject({ high: 10 });
  await dump.query('COMMIT');
  await ensureSchema(executor, { table });
  expect(await missingSchema(executor, { table })).toEqual([]);
});
