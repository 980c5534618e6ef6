import { openPostgresPool, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import { faultTest } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { fromPgUrl } from '@ids/store/postgres';
import { expect, inject, it, onTestFinished } from 'vitest';
import { layoutOf } from '../../src/index.js';
import { slotGrants, slotTable } from '../../src/sql/index.js';
import { failOver } from '../support/fail-over.js';
import { causes, expectNoneTwice, start, waits } from '../support/process.js';
import { openSlotDatabase } from '../support/slot-database.js';
import { createContext } from '../support/subject.js';

const POSTGRES = SQL_DIALECTS.find(({ dialect }) => dialect === 'postgres') as SqlDialect;

/** As a role that sees neither the timeline nor the system. */
async function logInWithoutTimeline(primary: string): Promise<(url: string) => string> {
  const admin = openPostgresPool(primary, { max: 1 });
  await admin.query(`CREATE ROLE service LOGIN PASSWORD 'secret'; ${slotGrants('service')}`);
  await admin.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  await admin.end();
  return (server) => {
    const url = new URL(server);
    [url.username, url.password] = ['service', 'secret'];
    return url.href;
  };
}

faultTest(
  'a newcomer repeats nothing after a failover if a migration created the slots, whose rows cannot show it',
  async () => {
    const { former, latter } = await failOver(POSTGRES, { bySql: true });
    expect(waits(former)).toEqual([3_000]);
    expect(causes(latter)).toEqual([]);
    expect(waits(latter)).toEqual([3_000]);
    expectNoneTwice(former, latter);
  },
  120_000,
);

faultTest(
  'a newcomer repeats nothing after a failover if the server does not tell its timeline',
  async () => {
    const { former, latter } = await failOver(POSTGRES, {}, logInWithoutTimeline);
    expect(causes(latter)).toEqual([]);
    expect([waits(former), waits(latter)]).toEqual([[3_000], [3_000]]);
    expect(latter.events).toContainEqual(
      expect.objectContaining({ type: 'warning', message: expect.stringMatching(/every claim waits/) }),
    );
    expectNoneTwice(former, latter);
  },
  120_000,
);

it('sees that a row, or its whole table, tells nothing of its history', async () => {
  const { table, pool, executor } = await openSlotDatabase({ slots: 1, layout: '41+6+6' });
  const isBlank = async (): Promise<boolean | undefined> => {
    const slots = slotTable(executor, { name: 'order', table, layout: layoutOf('41+6+6') });
    const owner = crypto.randomUUID();
    const claimed = await slots.claim(owner);
    await slots.release(0, owner);
    return 'slot' in claimed ? claimed.blank : undefined;
  };
  expect(await isBlank()).toBe(false);
  // As createSlots leaves it for a role that does not see the timeline.
  await pool.query(`UPDATE ${table} SET timeline = NULL, system_id = NULL`);
  expect([await isBlank(), await isBlank()]).toEqual([true, false]);
  await pool.query(`ALTER TABLE ${table} DROP COLUMN noticed`);
  expect([await isBlank(), await isBlank()]).toEqual([true, true]);
});

it('waits once for each slot that a migration created, also if it is given back before', async () => {
  const slots = await createContext(inject('databaseUrl'), uniqueName('by_sql'), {
    layout: '41+6+6',
    slots: 1,
    bySql: true,
  });
  const [table, executor] = [slots.table, await fromPgUrl(slots.database, { max: 1 })];
  onTestFinished(() => executor.close());
  const held = async (): Promise<number> =>
    (await slotTable(executor, { name: 'order', table, layout: layoutOf('41+6+6') }).holders()).holders
      .length;
  const first = await start({ ...slots, startup: 'at-once' });
  await first.generator.close();
  // Whoever comes next would not know that there is something to wait for.
  expect(await held()).toBe(1);
  const second = await start({ ...slots, startup: 'at-once' });
  await second.take(1);
  expect([waits(first), waits(second)]).toEqual([[3_000], [0]]);
});
