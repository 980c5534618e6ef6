import { createSequence, ensureSchema, SqlSegmentSource } from '@ids/segment/sql';
import { expect, it } from 'vitest';
import { layoutOf } from '../../src/ids/layout.js';
import { createSlots, ensureSlotSchema, missingSlotSchema, slotTable } from '../../src/sql/index.js';
import { openSlotDatabase } from '../support/slot-database.js';

const refusal = (what: string) => ({ code: 'ERR_IDS_CONFIG', message: expect.stringMatching(what) });

it('neither kind of table is taken for the other, and generators of both go on', async () => {
  const { executor, schema, table } = await openSlotDatabase({ slots: 2 });
  const segments = `${schema}.id_segment`;
  await ensureSchema(executor, { table: segments });
  await createSequence(executor, 'order', { table: segments });
  const notSlots = refusal('id_segment.*name text.*server_name text');
  await expect(missingSlotSchema(executor, { table: segments })).rejects.toMatchObject(notSlots);
  await expect(ensureSlotSchema(executor, { table: segments })).rejects.toMatchObject(notSlots);
  const notSegments = refusal('id_slot.*server_name.*name text');
  await expect(ensureSchema(executor, { table })).rejects.toMatchObject(notSegments);
  expect(await new SqlSegmentSource(executor, { table: segments }).reserve('order', 5)).toMatchObject({
    high: 5,
  });
  const slots = slotTable(executor, { name: 'order', table, layout: layoutOf('41+10+12') });
  expect(await slots.claim('00000000-0000-4000-8000-000000000001')).toMatchObject({ slot: 0 });
});

it('the log of sequences is not taken for that of slots', async () => {
  const { executor, schema } = await openSlotDatabase({ slots: 1 });
  const table = `${schema}.ids`;
  await ensureSchema(executor, { table: `${schema}.other`, log: true });
  await executor.execute(`ALTER TABLE ${schema}.other_log RENAME TO ids_log`, []);
  const refused = refusal('\\bids_log\\b');
  await expect(ensureSlotSchema(executor, { table, log: true })).rejects.toMatchObject(refused);
  // One transaction: the table was not created either.
  await expect(createSlots(executor, 'order', { table })).rejects.toMatchObject(refusal('\\bids\\b'));
});
