import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { fromMysql } from '@ids/store/mysql';
import { openDatabase } from '@ids/store/open';
import mysql from 'mysql2/promise';
import { expect, it, onTestFinished } from 'vitest';
import { createSnowflakeGenerator, layoutOf } from '../../src/index.js';
import {
  createSlots,
  ensureSlotSchema,
  lackingSlotRights,
  missingSlotSchema,
  slotGrants,
  slotSchema,
  slotsSql,
  slotTable,
  whoIssued,
} from '../../src/sql/index.js';
import { MARIADB, openMysqlSlots } from '../support/mysql-slots.js';

const LAYOUT = layoutOf('41+6+6');
async function start(options: object) {
  const generator = await createSnowflakeGenerator({
    name: 'order',
    as: 'number',
    startup: 'at-once',
    deadlineMs: 15_000,
    ...options,
  });
  onTestFinished(() => generator.close());
  return generator;
}

faultTest('a window begins after the wait for its row, by a clock that is read then', async () => {
  const { url, executor, table } = await openMysqlSlots({ slots: 1, layout: '41+6+6' });
  const slots = slotTable(executor, { name: 'order', table, layout: LAYOUT });
  await slots.claim('00000000-0000-4000-8000-000000000001');
  const session = MARIADB.connect(url);
  onTestFinished(() => session.end());
  const unlock = await injectFault(() => session.hold(`SELECT 1 FROM ${table} FOR UPDATE`));
  const opened = slots.open(0, '00000000-0000-4000-8000-000000000001', 0);
  await felt('a grant that waits', async () => (await session.waiting('id_slot', 300)) === 1, opened);
  const [row] = await session.query('SELECT floor(1000 * UNIX_TIMESTAMP(NOW(6))) AS ms');
  await unlock?.();
  const granted = await opened;
  if (!('window' in granted)) throw new Error(JSON.stringify(granted));
  expect(granted.window.from).toBeGreaterThanOrEqual(Number(row?.ms));
  expect(granted.now).toBeGreaterThanOrEqual(Number(row?.ms));
});

it('claims of many generators at once get a slot each, and none is left', async () => {
  const { executor, table } = await openMysqlSlots({ slots: 12, layout: '41+6+6' });
  const slots = slotTable(executor, { name: 'order', table, layout: LAYOUT });
  const claims = await Promise.all(Array.from({ length: 12 }, () => slots.claim(crypto.randomUUID())));
  expect(new Set(claims.map((claim) => ('slot' in claim ? claim.slot : 'none'))).size).toBe(12);
  expect(await slots.claim(crypto.randomUUID())).toMatchObject({ slots: 12, holders: { length: 12 } });
});

it('grants no window to another token, whatever the sql_mode', async () => {
  const { url, table } = await openMysqlSlots({ slots: 1, layout: '41+6+6' });
  const pool = mysql.createPool({ uri: url, connectionLimit: 1 });
  onTestFinished(() => pool.end());
  await pool.query("SET SESSION sql_mode = 'HIGH_NOT_PRECEDENCE'");
  const slots = slotTable(fromMysql(pool), { name: 'order', table, layout: LAYOUT });
  await slots.claim('a-token');
  expect(await slots.open(0, 'b-token', 0)).toMatchObject({ refusal: 'lost' });
  expect(await slots.open(0, 'a-token', 0)).toHaveProperty('window');
});

it('refuses what could grant time twice, and slots that their layout does not have', async () => {
  const { executor, table } = await openMysqlSlots({ slots: 2, layout: '41+6+6' });
  await executor.commit(`UPDATE ${table} SET until_ms = 100`);
  const guard = /id_slot_guard/;
  for (const change of [
    'until_ms = 99',
    "name = 'other', slot = slot + 2",
    'slot = slot + 2',
    "layout = '41+10+12@0'",
  ]) {
    await expect(executor.commit(`UPDATE ${table} SET ${change}`), change).rejects.toThrow(guard);
  }
  await expect(executor.commit(`DELETE FROM ${table}`)).rejects.toMatchObject({ sqlState: '45000' });
  const insert = (slot: number) =>
    `INSERT INTO ${table} (name, slot, layout) VALUES ('order', ${slot}, '41+6+6@0')`;
  await expect(executor.commit(insert(64))).rejects.toThrow(/id_slot_in_layout/);
  await executor.commit(insert(63));
});

it('works with the rights that slotGrants prints, and names those that lack', async () => {
  const { url, executor, table } = await openMysqlSlots({ slots: 2, layout: '41+6+6', log: true });
  const account = await MARIADB.createAccount(url);
  onTestFinished(() => account.close());
  await account.run(`GRANT SELECT (name) ON ${table} TO ${account.name}`);
  const own = await openDatabase(account.url);
  onTestFinished(() => own.close());
  const lacking = await lackingSlotRights(own, { table });
  expect(lacking.needed).toEqual([
    expect.stringMatching(/^SELECT \(slot, /),
    expect.stringMatching(/^UPDATE \(until_ms, /),
  ]);
  await account.run(slotGrants(account.name.replaceAll("'", ''), { dialect: 'mysql' }).replace(/;\s*$/, ''));
  expect((await lackingSlotRights(own, { table })).needed).toEqual([]);
  const generator = await start({ database: account.url, log: true, owner: 'billing-7' });
  const id = await generator.next();
  expect(await whoIssued(executor, 'order', id, LAYOUT)).toMatchObject({
    status: 'granted',
    grants: [{ slot: 0, owner: 'billing-7' }],
  });
  await executor.commit(`DROP TRIGGER ${table}_granted`);
  await expect(
    start({ database: url, log: true, deadlineMs: 1_000 }).then((generator) => generator.next()),
  ).rejects.toThrow(/\bid_slot_log\b/);
});

it('writes no log for generators that do not ask for one, and misses one that is not there', async () => {
  const { url, executor, table } = await openMysqlSlots({ slots: 2, layout: '41+6+6' });
  await expect(start({ database: url, log: true })).rejects.toThrow(/\bid_slot_log\b/);
  expect(await missingSlotSchema(executor, { table, log: true })).toEqual(['log']);
  await ensureSlotSchema(executor, { table, log: true });
  const generator = await start({ database: url });
  const id = await generator.next();
  expect(await whoIssued(executor, 'order', id, LAYOUT)).toEqual({ status: 'not-logged' });
});

it('creates the table and the slots from migrations, which may run again, and adds no other layout', async () => {
  const url = await MARIADB.shared();
  const executor = await openDatabase(url);
  onTestFinished(() => executor.close());
  const session = MARIADB.connect(url);
  onTestFinished(() => session.end());
  const sql = [
    slotSchema('id_slot', { dialect: 'mysql', log: true }),
    slotsSql('order', { dialect: 'mysql' }),
    slotsSql('order', { dialect: 'mysql', layout: '41+6+6' }),
  ].join('');
  for (let run = 0; run < 2; run++) {
    for (const statement of sql.split(/;\n/)) if (statement.trim() !== '') await session.query(statement);
  }
  expect(await missingSlotSchema(executor, { log: true })).toEqual([]);
  expect(
    await session.query('SELECT count(*) AS n, min(layout) AS a, max(layout) AS b FROM id_slot'),
  ).toEqual([{ n: 1_024, a: '41+10+12@1735689600000', b: '41+10+12@1735689600000' }]);
  await expect(createSlots(executor, 'order', { layout: '41+6+6' })).rejects.toThrow(
    /41\+10\+12@.*41\+6\+6@/,
  );
});

it('refuses a table of somebody else', async () => {
  const url = await MARIADB.shared();
  const executor = await openDatabase(url);
  onTestFinished(() => executor.close());
  await executor.execute('CREATE TABLE id_slot (id int PRIMARY KEY)', []);
  await expect(ensureSlotSchema(executor)).rejects.toThrow(/\bid_slot\b.*\bid int\b/);
});
