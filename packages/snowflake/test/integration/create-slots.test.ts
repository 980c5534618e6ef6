import { expect, it } from 'vitest';
import { createSnowflakeGenerator, type LayoutName } from '../../src/index.js';
import { createSlots, slotsSql } from '../../src/sql/index.js';
import { openSlotDatabase, type SlotDatabase } from '../support/slot-database.js';

const OTHER_LAYOUT = { code: 'ERR_IDS_CONFIG', message: expect.stringMatching(/"order".*@.*@/) };

async function layoutsOf({ pool, table }: SlotDatabase, name = 'order'): Promise<unknown[]> {
  const { rows } = await pool.query(
    `SELECT layout, count(*)::int AS slots FROM ${table} WHERE name = $1 GROUP BY layout`,
    [name],
  );
  return rows;
}

it('adds no slot of another layout, so that generators of the first one still start', async () => {
  const database = await openSlotDatabase({ slots: 2, layout: '41+6+6' });
  const { executor, pool, table, url } = database;
  const before = await layoutsOf(database);
  await expect(createSlots(executor, 'order', { table })).rejects.toMatchObject(OTHER_LAYOUT);
  await pool.query(slotsSql('order', { table }));
  expect(await layoutsOf(database)).toEqual(before);
  await using generator = await createSnowflakeGenerator({
    name: 'order',
    table,
    database: url,
    as: 'number',
  });
  expect(generator.guarantees.unique).toBe('cluster');
});

it('adds slots of one layout only, when several are asked for at once', async () => {
  const database = await openSlotDatabase({ slots: 1 });
  const { executor, pool, table } = database;
  const layouts: readonly LayoutName[] = ['41+6+6', '41+10+12', '31s+8+14'];
  for (let round = 1; round <= 5; round++) {
    const name = `order ${round}`;
    const outcomes = await Promise.allSettled([
      ...layouts.map((layout) => createSlots(executor, name, { table, layout })),
      pool.query(slotsSql(name, { table })),
    ]);
    const created = outcomes.slice(0, 3).flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []));
    expect(await layoutsOf(database, name)).toHaveLength(1);
    expect(created).toHaveLength(1);
  }
});

it('adds what is missing, also by the statements for a migration', async () => {
  const database = await openSlotDatabase({ slots: 2, layout: '41+6+6' });
  const { executor, pool, table } = database;
  const name = "the buyer's $2 order";
  for (const slots of [1, 3, 2]) await pool.query(slotsSql(name, { table, layout: '41+6+6', slots }));
  expect(await layoutsOf(database, name)).toMatchObject([{ slots: 3 }]);
  expect((await createSlots(executor, name, { table, layout: '41+6+6', slots: 5 })).slots).toBe(5);
});

it('serves a name to which slots of another layout were added that nobody has claimed', async () => {
  const database = await openSlotDatabase({ slots: 2, layout: '41+6+6' });
  const { pool, table, url } = database;
  const options = { name: 'order', table, database: url, as: 'number' } as const;
  const other = slotsSql('elsewhere', { table, layout: '41+10+12', slots: 1 });
  await pool.query(other);
  await pool.query(
    `INSERT INTO ${table} (name, slot, layout) SELECT 'order', 2, layout FROM ${table} WHERE name = 'elsewhere'`,
  );
  {
    await using generator = await createSnowflakeGenerator(options);
    expect(await generator.next()).toBeTypeOf('number');
  }
  await expect(
    createSnowflakeGenerator({ name: 'order', table, database: url, as: 'string' }),
  ).rejects.toMatchObject(OTHER_LAYOUT);
  await pool.query(`UPDATE ${table} SET until_ms = 1 WHERE name = 'order' AND slot = 2`);
  await expect(createSnowflakeGenerator(options)).rejects.toMatchObject(OTHER_LAYOUT);
});
