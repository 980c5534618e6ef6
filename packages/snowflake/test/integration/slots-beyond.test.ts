import { expect, it } from 'vitest';
import { createSnowflakeGenerator, layoutOf } from '../../src/index.js';
import { createSlots, ensureSlotSchema, missingSlotSchema, slotTable } from '../../src/sql/index.js';
import { openSlotDatabase, type SlotDatabase } from '../support/slot-database.js';

const CHECK = 'id_slot_in_layout';

/** Adds a row as a table without the check takes it. */
async function addRow({ pool, table }: SlotDatabase, slot: number): Promise<void> {
  await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${CHECK}`);
  await pool.query(
    `INSERT INTO ${table} (name, slot, layout) SELECT name, $1, layout FROM ${table} WHERE name = 'order' AND slot = 0`,
    [slot],
  );
}

it('takes no row whose slot the layout does not have, also in a table of an older version', async () => {
  const database = await openSlotDatabase({ slots: 1, layout: '41+6+6' });
  const { executor, pool, table } = database;
  const insert = (layout: string, slot: number) =>
    pool.query(`INSERT INTO ${table} (name, slot, layout) VALUES ($1, $2, $3)`, [
      `of ${layout}`,
      slot,
      layout,
    ]);
  const refused = { code: '23514', constraint: CHECK };
  await expect(insert('41+6+6@0', 64)).rejects.toMatchObject(refused);
  await insert('41+6+6@0', 63);
  await expect(insert('31s+8+14@0', 256)).rejects.toMatchObject(refused);
  await insert('41+10+12@0', 1_023);
  // As a former version created it, with such a row.
  await addRow(database, 70);
  expect(await missingSlotSchema(executor, { table })).toEqual(['guards']);
  await ensureSlotSchema(executor, { table });
  expect(await missingSlotSchema(executor, { table })).toEqual([]);
  await expect(insert('41+6+6@0', 64)).rejects.toMatchObject(refused);
});

it('claims no slot that the layout does not have', async () => {
  const database = await openSlotDatabase({ slots: 2, layout: '41+6+6' });
  const { executor, table } = database;
  const slots = slotTable(executor, { name: 'order', table, layout: layoutOf('41+6+6') });
  await slots.describe();
  await addRow(database, 64);
  const claimed = [];
  for (let i = 0; i < 3; i++) claimed.push(await slots.claim(crypto.randomUUID()));
  expect(claimed).toMatchObject([{ slot: 0 }, { slot: 1 }, { slots: 3 }]);
});

it('does not start where such a slot is, and says how to get rid of it', async () => {
  const database = await openSlotDatabase({ slots: 1, layout: '41+6+6' });
  const { executor, pool, table, url } = database;
  const options = { name: 'order', table, database: url, as: 'number', startup: 'at-once' } as const;
  await addRow(database, 65);
  const error: Error = await createSnowflakeGenerator(options).catch((reason) => reason);
  expect(error).toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringMatching(/"order".*\b65\b.*41\+6\+6@1735689600000.*\b63\b.*\b1\b/),
  });
  const [advice = ''] = /BEGIN; .*COMMIT/.exec(error.message) ?? [];
  await pool.query(advice);
  const state = await createSlots(executor, 'order', { table, layout: '41+6+6', slots: 2 });
  expect(state).toMatchObject({
    slots: 2,
    warnings: expect.arrayContaining([expect.stringContaining(CHECK)]),
  });
  await expect(pool.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: '23001' });
  await ensureSlotSchema(executor, { table });
  await using generator = await createSnowflakeGenerator(options);
  expect(await generator.next()).toBeTypeOf('number');
});
