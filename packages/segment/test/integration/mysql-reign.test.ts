import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type mysql from 'mysql2/promise';
import { describe, expect, it } from 'vitest';
import { createSequence, ensureSchema, SqlSegmentSource, setFloor } from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { openMysqlDatabase, pastCreation } from './mysql-database.js';

const SKIP = 5_000;

async function openSequence(options: object = {}) {
  const database = await openMysqlDatabase();
  const { executor, table } = database;
  await createSequence(executor, 'order', { table });
  const sourceOf = () =>
    new SqlSegmentSource(executor, { table, afterRestore: SKIP, afterFailover: 0, ...options });
  return { ...database, sourceOf };
}

type Dump = readonly Readonly<Record<string, unknown>>[];

async function dump(pool: mysql.Pool, table: string): Promise<Dump> {
  const [rows] = await pool.query(`SELECT * FROM ${table}`);
  return rows as Dump;
}

async function insert(pool: mysql.Pool, table: string, rows: Dump): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row).map((name) => `\`${name}\``);
    await pool.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (?)`, [Object.values(row)]);
  }
}

describe('a segment table on MariaDB', () => {
  faultTest('whose rows were inserted again is noticed by the first reservation', async () => {
    const { pool, table, sourceOf } = await openSequence();
    const source = sourceOf();
    await source.reserve('order', 10);
    const rows = await dump(pool, table);
    await source.reserve('order', 50);
    await injectFault(async () => {
      await pool.query(`TRUNCATE ${table}`);
      await insert(pool, table, rows);
    });
    expect(await source.reserve('order', 10)).toMatchObject({
      low: 10 + SKIP + 1,
      newReign: { cause: 'restore' },
    });
    expect(await source.reserve('order', 10)).not.toHaveProperty('newReign');
  });

  faultTest('of a promoted replica is noticed, and the greater of both skips applies', async () => {
    const { pool, table, sourceOf } = await openSequence();
    const source = sourceOf();
    const { high } = await source.reserve('order', 10);
    // The row as it comes to a replica: written by a server with another identity.
    await injectFault(() => pool.query(`UPDATE ${table} SET reign_server = '4711'`));
    expect(await source.reserve('order', 10)).toMatchObject({
      low: high + SKIP + 1,
      newReign: { cause: 'failover', skipped: SKIP },
    });
  });

  faultTest('says that its end is reached when there is no room for what is skipped', async () => {
    const { pool, executor, table, sourceOf } = await openSequence();
    await setFloor(executor, 'order', Number.MAX_SAFE_INTEGER - 100, { table });
    await injectFault(() => pool.query(`UPDATE ${table} SET reign_server = '4711'`));
    await expect(sourceOf().reserve('order', 10)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
  });

  faultTest(
    'whose max_id and mark were both lowered by hand is not noticed: only a floor helps',
    async () => {
      const { pool, table, sourceOf } = await openSequence();
      const source = sourceOf();
      const { high } = await source.reserve('order', 100);
      await injectFault(() => pool.query(`UPDATE ${table} SET max_id = 20, reserved_to = 20`));
      expect(await source.reserve('order', 10)).toEqual({ low: 21, high: 30, origin });
      expect(await source.reserve('order', 10, { floor: high })).toMatchObject({
        low: 101 + SKIP,
        high: 110 + SKIP,
      });
    },
  );

  it('is of the same reign after a change of its triggers', async () => {
    const { pool, executor, table, sourceOf, database } = await openSequence();
    await sourceOf().reserve('order', 10);
    await pastCreation(pool, table);
    await pool.query(`DROP TRIGGER ${database}.id_segment_delete`);
    await ensureSchema(executor, { table, log: true });
    expect(await sourceOf().reserve('order', 10)).toEqual({ low: 11, high: 20, origin });
  });
});
