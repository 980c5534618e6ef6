import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { createSequence, ensureSchema, missingSchema, SqlSegmentSource } from '../../src/sql/index.js';
import { DIALECTS } from './dialects.js';

const SQL = {
  postgres: {
    drop: 'DROP TRIGGER id_segment_guard ON %t',
    waiting: "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '%t'::regclass",
  },
  mysql: {
    drop: 'DROP TRIGGER %t_delete',
    waiting: `SELECT 1 FROM information_schema.PROCESSLIST
      WHERE INFO LIKE 'CREATE TRIGGER%' AND STATE LIKE '%metadata lock%'`,
  },
};

describe.each(DIALECTS)('a guard that a table on $server lacks', ({ dialect, open }) => {
  faultTest('is not added while a dump reads the table, and reservations go on', async () => {
    const { executor, table, run, hold, another } = await open();
    await createSequence(executor, 'order', { table });
    const { drop, waiting } = SQL[dialect as keyof typeof SQL];
    await run(drop);
    const end = await injectFault(() => hold(`SELECT * FROM ${table}`));
    const added = ensureSchema(executor, { table }).catch((error: unknown) => error);
    await expect.poll(async () => (await run(waiting)).length, { timeout: 4_000 }).toBeGreaterThan(0);
    const source = new SqlSegmentSource(await another(1), { table });
    expect(await source.reserve('order', 10)).toMatchObject({ high: 10 });
    expect(await added).toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    await end?.();
    await ensureSchema(executor, { table });
    expect(await missingSchema(executor, { table })).toEqual([]);
  });
});
