import { expect, it } from 'vitest';
import { layoutOf } from '../../src/ids/layout.js';
import { ensureSlotSchema, missingSlotSchema, slotTable } from '../../src/sql/index.js';
import { openSlotDatabase } from '../support/slot-database.js';

it('what a subscription writes lowers no slot, unless the guard is in the mode in which triggers are created', async () => {
  const { pool, executor, table } = await openSlotDatabase({ slots: 1 });
  const client = await pool.connect();
  const granted = async (until: number) => {
    await client.query(`UPDATE ${table} SET until_ms = ${until}`);
    return (await client.query(`SELECT until_ms FROM ${table}`)).rows[0].until_ms;
  };
  const warnings = async () =>
    (
      await slotTable(executor, { name: 'order', table, layout: layoutOf('41+10+12') }).describe()
    ).warnings.join();
  try {
    await granted(5_000);
    // As the worker of a subscription: triggers that are not ALWAYS do not fire.
    await client.query('SET session_replication_role = replica');
    await expect(granted(4_000)).rejects.toMatchObject({ code: '23001' });
    expect(await granted(6_000)).toBe('6000');
    expect(await warnings()).not.toContain('subscription');
    await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
    expect(await granted(4_000)).toBe('4000');
    expect(await warnings()).toMatch(/subscription.*until_ms.*ensureSlotSchema/);
    expect(await missingSlotSchema(executor, { table })).toEqual(['guards']);
    await ensureSlotSchema(executor, { table });
    await expect(granted(3_000)).rejects.toMatchObject({ code: '23001' });
    expect(await warnings()).not.toContain('subscription');
  } finally {
    client.release(true);
  }
});
