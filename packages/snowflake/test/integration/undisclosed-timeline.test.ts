import { dumpTable } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { SqlExecutor } from '@ids/store';
import { describe, expect, inject, it } from 'vitest';
import { layoutOf } from '../../src/index.js';
import { createSlots, slotTable } from '../../src/sql/index.js';
import { openSlotDatabase, type SlotDatabase } from '../support/slot-database.js';

const LAYOUT = '41+6+6';
const OWNER = '00000000-0000-4000-8000-000000000001';
const UNDETECTED = /promoted standbys are not detected.*not supported/;

/** A server that does not tell its timeline: 0A000 is what a pooler says, 55000 is what Aurora says. */
function silent({ executor }: SlotDatabase, code: string, standby?: boolean): SqlExecutor {
  return {
    execute: async (text, values, signal) => {
      if (standby !== undefined && text.includes('pg_is_in_recovery() AS standby'))
        return { rows: [{ standby }], notices: [] };
      if (!text.includes('pg_walfile_name')) return executor.execute(text, values, signal);
      throw Object.assign(new Error('pg_walfile_name is not supported here'), { code });
    },
    close: async () => {},
  };
}

describe.each(['0A000', '55000'])('slots on a server that does not tell its timeline (%s)', (code) => {
  it('are created, with a warning about what is not detected', async () => {
    const database = await openSlotDatabase();
    const { pool, table } = database;
    await pool.query(`CREATE TABLE ${table}_other (LIKE ${table} INCLUDING ALL)`);
    const options = { table: `${table}_other`, layout: LAYOUT, slots: 2 } as const;
    const state = await createSlots(silent(database, code), 'order', options);
    expect(state.slots).toBe(2);
    expect(state.warnings).toContainEqual(expect.stringMatching(UNDETECTED));
  });

  faultTest('notice that their table was restored', async () => {
    const database = await openSlotDatabase({ layout: LAYOUT, slots: 1 });
    const { table } = database;
    const executor = silent(database, code);
    const open = () => slotTable(executor, { name: 'order', table, layout: layoutOf(LAYOUT) });
    expect(await open().claim(OWNER)).toMatchObject({ slot: 0, newReign: undefined });
    const dump = await dumpTable(inject('databaseUrl'), table);
    await open().release(0, OWNER);
    await injectFault(() => dump.restoreTo(inject('databaseUrl')));
    expect((await open().describe()).warnings).toContainEqual(expect.stringMatching(/the next claim waits/));
  });
});

it('a standby is not taken for a server that does not tell its timeline', async () => {
  const database = await openSlotDatabase({ layout: LAYOUT, slots: 1 });
  const code = '55000';
  const standby = silent(database, code, true);
  const table = slotTable(standby, { name: 'order', table: database.table, layout: layoutOf(LAYOUT) });
  await expect(table.claim(OWNER)).rejects.toMatchObject({ cause: { code } });
});
