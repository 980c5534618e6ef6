import { createMysqlDatabase, startMariadb, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-mariadb';
import { createSequence, setFloor } from '@ids/segment/sql';
import { fromMysql } from '@ids/store/mysql';
import mysql from 'mysql2/promise';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { ensureKeyedSchema, SqlKeyedSource } from '../../src/sql/index.js';
import { reserve } from './key-database.js';

/** A pool of one connection to a database of its own, with the tables of a family `message`. */
async function openPool(options: mysql.PoolOptions = {}, server = inject('mysqlUrl'), setting?: string) {
  const uri = await createMysqlDatabase(server);
  const pool = mysql.createPool({ uri, connectionLimit: 1, ...options });
  if (setting) pool.on('connection', (connection) => void connection.query(`SET SESSION ${setting}`));
  onTestFinished(() => pool.end());
  await ensureKeyedSchema(fromMysql(pool));
  await createSequence(fromMysql(pool), 'message');
  return { uri, pool, keyed: new SqlKeyedSource(fromMysql(pool)) };
}

describe('a source of keys on MariaDB', () => {
  it('works through a pool of mysql2, whatever its settings', async () => {
    const { keyed } = await openPool({
      rowsAsArray: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      flags: ['-FOUND_ROWS'],
      typeCast: () => 'unreadable',
    });
    await keyed.describe('message');
    expect(await reserve(keyed, ['a', 'b'])).toEqual([10, 10]);
    expect(await reserve(keyed, ['b', 'a', 'c'])).toEqual([20, 20, 10]);
  });

  it.each(['READ-COMMITTED', 'SERIALIZABLE'])('works under %s', async (isolation) => {
    const { pool, keyed } = await openPool();
    await pool.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation.replace('-', ' ')}`);
    expect(await reserve(keyed, ['a', 'b'])).toEqual([10, 10]);
    expect(await reserve(keyed, ['b', 'a', 'c'])).toEqual([20, 20, 10]);
  });

  it.each(['sql_safe_updates = ON', "sql_mode = 'HIGH_NOT_PRECEDENCE'", "sql_mode = 'EMPTY_STRING_IS_NULL'"])(
    'works with %s',
    async (setting) => {
      const { pool } = await openPool({}, inject('mysqlUrl'), setting);
      await ensureKeyedSchema(fromMysql(pool), { log: true });
      const keyed = new SqlKeyedSource(fromMysql(pool), { log: true });
      expect(await reserve(keyed, ['a', 'b'])).toEqual([10, 10]);
      expect(await reserve(keyed, ['b', 'a', 'c'])).toEqual([20, 20, 10]);
    },
  );

  faultTest('reserves nothing inside a transaction that somebody left open', async () => {
    const { pool, keyed } = await openPool();
    await reserve(keyed, ['a']);
    await injectFault(() => pool.query('START TRANSACTION'));
    await expect(reserve(keyed, ['a', 'b'])).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('transaction open'),
    });
    // The pool has dropped that connection, and with it what was done on it.
    expect(await reserve(keyed, ['a', 'b'])).toEqual([20, 10]);
  });

  faultTest('reserves nothing without autocommit', async () => {
    const { pool, keyed } = await openPool();
    await reserve(keyed, ['a']);
    await injectFault(() => pool.query('SET autocommit = 0'));
    await expect(reserve(keyed, ['a'])).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('autocommit off'),
    });
    expect(await reserve(keyed, ['a'])).toEqual([20]);
  });

  faultTest('uses what it reserved of keys in use although a new one of the call fails', async () => {
    const { pool, keyed } = await openPool();
    await reserve(keyed, ['used']);
    await injectFault(() =>
      pool.query("CREATE TRIGGER full BEFORE INSERT ON id_segment_key FOR EACH ROW SIGNAL SQLSTATE '45000'"),
    );
    const requests = ['used', 'new'].map((key) => ({ key, size: 10 }));
    const { keys } = await keyed.reserve('message', requests, { wait: false });
    expect(keys).toMatchObject([{ high: 20 }, { missed: 'locked' }]);
    await expect(reserve(keyed, ['new'])).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
  });

  faultTest('uses no answer of another statement, as behind a proxy', async () => {
    const { uri, pool } = await openPool();
    const other = mysql.createPool({ uri, connectionLimit: 1 });
    onTestFinished(() => other.end());
    const direct = new SqlKeyedSource(fromMysql(other));
    expect(await reserve(direct, ['a'])).toEqual([10]);
    const executor = fromMysql(pool);
    const behindProxy = new SqlKeyedSource({
      ...executor,
      change: async (text: string, read: (changed: number) => string) => {
        const { changed } = await executor.change(text, 'SELECT 1');
        const elsewhere = await injectFault(() => fromMysql(other).execute(read(changed), []));
        return { ...(elsewhere ?? (await executor.execute(read(changed), []))), changed };
      },
    } as typeof executor);
    await expect(reserve(behindProxy, ['a'])).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/not used: .* proxy runs the statements/),
    });
    // Those ids are a gap, and what follows is above them.
    expect(await reserve(direct, ['a'])).toEqual([30]);
  });

  faultTest('uses nothing of a table without its triggers', async () => {
    const { pool, keyed } = await openPool();
    await reserve(keyed, ['a']);
    await injectFault(() => pool.query('DROP TRIGGER id_segment_key_granted'));
    await expect(reserve(keyed, ['a'])).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringContaining('its triggers are missing'),
    });
    await ensureKeyedSchema(fromMysql(pool));
    expect(await reserve(keyed, ['a'])).toEqual([30]);
  });

  faultTest('reserves nothing once the server is set to lose commits', async () => {
    // The setting is for all databases of a server, which other tests use at the same time.
    const server = await startMariadb();
    onTestFinished(() => server.close());
    const { pool, keyed } = await openPool({}, server.url);
    await reserve(keyed, ['a']);
    const read = `@@GLOBAL.innodb_flush_log_at_trx_commit`;
    await injectFault(() => pool.query(`SET ${read} = 2`));
    await expect(reserve(keyed, ['a', 'b'])).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('innodb_flush_log_at_trx_commit is 2'),
    });
    await pool.query(`SET ${read} = 1`);
    expect(await reserve(keyed, ['a', 'b'])).toEqual([20, 10]);
  });

  it('goes on after the family was raised and its reign named anew', async () => {
    const { pool, keyed } = await openPool();
    await reserve(keyed, ['a']);
    await setFloor(fromMysql(pool), 'message', 500, { checked: true });
    // It has found out by now, and makes the key when it is asked again.
    await reserve(keyed, ['a', 'new']);
    expect(await reserve(keyed, ['a', 'new'])).toEqual([30, 510]);
  });

  it('stays with its tables when somebody makes another database the default of a connection', async () => {
    const { pool, keyed } = await openPool();
    await reserve(keyed, ['a']);
    const other = uniqueName('other');
    await pool.query(`CREATE DATABASE ${other}`);
    onTestFinished(async () => void (await pool.query(`DROP DATABASE ${other}`)));
    await pool.query(`USE ${other}`);
    expect(await reserve(keyed, ['a', 'b'])).toEqual([20, 10]);
    expect(await keyed.highest('message', 'a')).toBe(20);
  });
});
