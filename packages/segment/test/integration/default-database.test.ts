import { uniqueName } from '@ids/local-services';
import mysql from 'mysql2/promise';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSequence, ensureSchema, fromMysql, SqlSegmentSource } from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { openMysqlPool } from './mysql-database.js';

/** A pool of one connection, or of more, to a new database, with a sequence `order` in its table. */
async function openOrders(
  database: string,
  startAfter: number,
  { log = false, connectionLimit = 1 } = {},
): Promise<mysql.Pool> {
  const admin = openMysqlPool();
  await admin.query('CREATE DATABASE ??', [database]);
  onTestFinished(async () => void (await admin.query('DROP DATABASE ??', [database])));
  const { hostname, port, username, password } = new URL(inject('mysqlUrl'));
  const pool = mysql.createPool({
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database,
    connectionLimit,
  });
  onTestFinished(() => pool.end());
  await ensureSchema(fromMysql(pool), { log });
  await createSequence(fromMysql(pool), 'order', { startAfter });
  return pool;
}

// The names show that a database may be called what no option "table" can say.
const databases = (): [string, string] => [`${uniqueName('one')}-\`ä`, uniqueName('two')];

it.for([{ log: false }, { log: true }])(
  'stays with its table when somebody makes another database the default of a connection (log: $log)',
  async ({ log }) => {
    const [one, two] = databases();
    const pool = await openOrders(one, 0, { log });
    await openOrders(two, 1_000, { log });
    const source = new SqlSegmentSource(fromMysql(pool), { log, owner: 'desk 3' });
    await source.describe('order');
    await pool.query('USE ??', [two]);
    expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
    expect(await source.describe('order')).toMatchObject({ maxId: 10 });
  },
);

it('stays with the table of its first reservation if it was not described before', async () => {
  const [one, two] = databases();
  const pool = await openOrders(one, 0);
  await openOrders(two, 1_000);
  const source = new SqlSegmentSource(fromMysql(pool));
  expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
  await pool.query('USE ??', [two]);
  expect(await source.reserve('order', 10)).toEqual({ low: 11, high: 20, origin });
});

it('does not stay with a database that has no such sequence', async () => {
  const [one, two] = databases();
  const pool = await openOrders(one, 0);
  const other = await openOrders(two, 1_000);
  await createSequence(fromMysql(other), 'other');
  const source = new SqlSegmentSource(fromMysql(pool));
  await pool.query('USE ??', [two]);
  await pool.query('USE ??', [one]);
  await expect(source.describe('other')).rejects.toThrow(/"other".*createSequence/);
  await pool.query('USE ??', [two]);
  expect(await source.reserve('other', 10)).toEqual({ low: 1, high: 10, origin });
});

it('decides for one table when its first reads run on connections with different defaults', async () => {
  const [one, two] = databases();
  const pool = await openOrders(one, 0, { connectionLimit: 2 });
  await openOrders(two, 1_000);
  const [first, second] = [await pool.getConnection(), await pool.getConnection()];
  await second.query('USE ??', [two]);
  first.release();
  second.release();
  const source = new SqlSegmentSource(fromMysql(pool));
  const [here, there] = await Promise.all([source.describe('order'), source.describe('order')]);
  expect(there.realm).toBe(here.realm);
  const { low } = await source.reserve('order', 10);
  expect(low).toBe(here.maxId + 1);
});
