import { connectToFile, SQLITE } from '@ids/local-services/dialects';
import { openDatabase } from '@ids/store/open';
import { expect, it, onTestFinished } from 'vitest';
import {
  createSnowflakeGenerator,
  layoutOf,
  type SnowflakeEvent,
  type SnowflakeOptions,
} from '../src/index.js';
import {
  createSlots,
  ensureSlotSchema,
  missingSlotSchema,
  slotSchema,
  slotsSql,
  slotTable,
  whoIssued,
} from '../src/sql/index.js';
import { openSqliteSlots } from './support/sqlite-slots.js';

const LAYOUT = layoutOf('41+6+6');

async function start(options: SnowflakeOptions) {
  const generator = await createSnowflakeGenerator({
    name: 'order',
    startup: 'at-once',
    ...options,
    as: 'number',
  });
  onTestFinished(() => generator.close());
  return generator;
}

const refused = (named: RegExp) => ({ code: 'ERR_IDS_CONFIG', message: expect.stringMatching(named) });
const constraint = (kind: string) => expect.objectContaining({ code: `SQLITE_CONSTRAINT_${kind}` });

it('refuses what could grant time twice, and slots that their layout does not have', async () => {
  const { connection, table } = await openSqliteSlots({ slots: 2, layout: '41+6+6' });
  connection.exec(`UPDATE ${table} SET until_ms = 100`);
  for (const sql of [
    `UPDATE ${table} SET until_ms = 99`,
    `UPDATE ${table} SET name = 'other'`,
    `UPDATE ${table} SET slot = slot + 2`,
    `UPDATE ${table} SET layout = '41+10+12@0'`,
    `DELETE FROM ${table}`,
    `REPLACE INTO ${table} (name, slot, layout) VALUES ('order', 0, '41+6+6@0')`,
    `INSERT OR REPLACE INTO ${table} (name, slot, layout) SELECT name, slot, layout FROM ${table}`,
  ]) {
    expect(() => connection.exec(sql), sql).toThrow(constraint('TRIGGER'));
  }
  const insert = (slot: unknown, layout: string) =>
    connection.exec(`INSERT INTO ${table} (name, slot, layout) VALUES ('other', ${slot}, '${layout}')`);
  for (const [slot, layout] of [
    [64, '41+6+6@0'],
    [-1, '41+6+6@0'],
    [0.5, '41+6+6@0'],
    [256, '31s+8+14@0'],
    [1_024, '41+10+12@0'],
  ] as const) {
    expect(() => insert(slot, layout), `${slot} of ${layout}`).toThrow(constraint('CHECK'));
  }
  insert(63, '41+6+6@0');
  insert(255, '31s+8+14@0');
  insert(1_023, '41+10+12@0');
});

it('claims of many at once get a slot each, and none is left', async () => {
  const { executor, table } = await openSqliteSlots({ slots: 12, layout: '41+6+6' });
  const slots = slotTable(executor, { name: 'order', table, layout: LAYOUT });
  const claims = await Promise.all(Array.from({ length: 12 }, () => slots.claim(crypto.randomUUID())));
  expect(new Set(claims.map((claim) => ('slot' in claim ? claim.slot : 'none'))).size).toBe(12);
  expect(await slots.claim(crypto.randomUUID())).toMatchObject({ slots: 12, holders: { length: 12 } });
});

it('is made by migrations, which may run again, and add no other layout', async () => {
  const url = await SQLITE.shared();
  const connection = connectToFile(url);
  const executor = await openDatabase(url);
  onTestFinished(() => executor.close());
  expect(await missingSlotSchema(executor, { log: true })).toEqual(['table', 'log']);
  const sql = [
    slotSchema('id_slot', { dialect: 'sqlite', log: true }),
    slotsSql("the buyer's order", { dialect: 'sqlite' }),
    slotsSql("the buyer's order", { dialect: 'sqlite', layout: '41+6+6' }),
  ].join('');
  for (let run = 0; run < 2; run++) connection.exec(sql);
  expect(await missingSlotSchema(executor, { log: true })).toEqual([]);
  const found = 'SELECT count(*) AS n, min(layout) AS a, max(layout) AS b, max(slot) AS c FROM id_slot';
  expect(connection.prepare(found).all()).toMatchObject([
    { n: 1_024, a: '41+10+12@1735689600000', b: '41+10+12@1735689600000', c: 1_023 },
  ]);
  await expect(createSlots(executor, "the buyer's order", { layout: '41+6+6' })).rejects.toMatchObject(
    refused(/41\+10\+12@.*41\+6\+6@/),
  );
});

it('adds what is missing, and nothing of another layout', async () => {
  const { executor, table } = await openSqliteSlots({ slots: 2, layout: '41+6+6' });
  expect((await createSlots(executor, 'order', { table, layout: '41+6+6', slots: 5 })).slots).toBe(5);
  const otherLayout = refused(/41\+6\+6@.*41\+10\+12@/);
  await expect(createSlots(executor, 'order', { table })).rejects.toMatchObject(otherLayout);
  const layouts: readonly ('41+6+6' | '41+10+12' | '31s+8+14')[] = ['41+6+6', '41+10+12', '31s+8+14'];
  const outcomes = await Promise.allSettled(
    layouts.map((layout) => createSlots(executor, 'at once', { table, layout })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

it('waits at the first claim of a slot that a migration added, which names no file', async () => {
  const { executor, connection, database, table } = await openSqliteSlots({ slots: 2 });
  connection.exec(slotsSql('migrated', { table, slots: 1, dialect: 'sqlite' }));
  const layout = layoutOf('41+10+12');
  const claim = (name: string) => slotTable(executor, { name, table, layout }).claim(crypto.randomUUID());
  expect(await claim('order')).toMatchObject({ slot: 0, blank: false });
  expect(await claim('migrated')).toMatchObject({ slot: 0, blank: true });
  // Another one names its file.
  connection.exec(slotsSql('generated', { table, slots: 1, dialect: 'sqlite' }));
  const events: SnowflakeEvent[] = [];
  const onEvent = (event: SnowflakeEvent) => void events.push(event);
  await using _generator = await createSnowflakeGenerator({
    name: 'generated',
    table,
    database,
    onEvent,
    startup: 'at-once',
  });
  expect(events).toContainEqual({ type: 'claim', name: 'generated', slot: 0, waitMs: 3_000 });
});

it('logs who was granted the time of an id, and grants none without its log', async () => {
  const { database, executor, connection, table } = await openSqliteSlots({ slots: 3, layout: '41+6+6' });
  await expect(start({ database, log: true })).rejects.toMatchObject(refused(/\bid_slot_log\b/));
  expect(await missingSlotSchema(executor, { table, log: true })).toEqual(['log']);
  await ensureSlotSchema(executor, { table, log: true });
  const unlogged = await start({ database });
  expect(await whoIssued(executor, 'order', await unlogged.next(), LAYOUT)).toEqual({ status: 'not-logged' });
  const before = Date.now();
  const generator = await start({ database, log: true, owner: 'billing-7' });
  const issued = await whoIssued(executor, 'order', await generator.next(), LAYOUT);
  expect(issued).toMatchObject({ status: 'granted', grants: [{ slot: 1, owner: 'billing-7' }] });
  const grantedAt = issued.status === 'granted' ? Number(issued.grants[0].grantedAt) : 0;
  expect(Math.abs(grantedAt - before)).toBeLessThan(60_000);
  const slots = slotTable(executor, { name: 'order', table, layout: LAYOUT, log: true });
  const token = crypto.randomUUID();
  expect(await slots.claim(token)).toMatchObject({ slot: 2 });
  connection.exec('DROP TRIGGER id_slot_log');
  await expect(slots.open(2, token, 0)).rejects.toMatchObject(refused(/\bid_slot_log\b/));
  await ensureSlotSchema(executor, { table, log: true });
  expect(await slots.open(2, token, 0)).toMatchObject({ window: { slot: 2 } });
});

it('names the holders when all slots are held, and takes one that is given back in time', async () => {
  const { database } = await openSqliteSlots({ slots: 1, layout: '41+6+6' });
  const holder = await start({ database, owner: 'the-holder:1' });
  await holder.ready();
  await expect(start({ database, deadlineMs: 300 })).rejects.toMatchObject({
    code: 'ERR_IDS_EXHAUSTED',
    message: expect.stringMatching(/\b0 by the-holder:1 .*Z.*Z/),
  });
  const first = holder.nextSync();
  const waiting = start({ database, deadlineMs: 20_000 });
  await holder.close();
  expect(await (await waiting).next()).toBeGreaterThan(first);
});
