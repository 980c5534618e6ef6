import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, it } from 'vitest';
import { createSequence, SqlSegmentSource, segmentStore } from '../../src/sql/index.js';
import { openDatabase } from './sql-database.js';

it('is refused as a former primary, unless the next reservation begins a reign', async () => {
  const { pool, executor, table } = await openDatabase();
  await createSequence(executor, 'order', { table });
  const { origin } = await new SqlSegmentSource(executor, { table }).reserve('order', 1);
  const [reign = ''] = origin?.reigns ?? [];
  const heard = [reign.replace(/\..*/, '.0000FFFF-00000000'), reign];
  const { position } = segmentStore({ name: 'order', database: inject('databaseUrl'), table }) ?? {};
  expect(await position?.refusalOf?.(executor, heard)).toContain('0000FFFF');

  // As after another failover, which lost the reservations of the reign that was heard of.
  await pool.query(`BEGIN;
    ALTER TABLE ${table} DISABLE TRIGGER USER;
    UPDATE ${table} SET timeline = '00000000';
    ALTER TABLE ${table} ENABLE TRIGGER USER;
    COMMIT`);
  expect(await position?.refusalOf?.(executor, heard)).toBeUndefined();
});
