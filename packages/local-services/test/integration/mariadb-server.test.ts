import { existsSync } from 'node:fs';
import mysql from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { createMysqlDatabase, startMariadb } from '../../src/index.js';
import { processIdentity } from '../../src/watchdog.js';

async function connect(url: string): Promise<mysql.Connection> {
  const connection = await mysql.createConnection(url);
  connection.on('error', () => {});
  onTestFinished(() => connection.destroy());
  return connection;
}

async function rows(connection: mysql.Connection, sql: string): Promise<unknown> {
  const [found] = await connection.query(sql);
  return found;
}

describe('startMariadb', () => {
  it('listens on loopback with a password, flushes, takes settings and tells its version', async () => {
    await using server = await startMariadb({ settings: { max_connections: '17' } });
    const connection = await connect(server.url);
    const sql =
      'SELECT VERSION() AS version, @@bind_address AS host, @@max_connections AS most, @@innodb_flush_log_at_trx_commit AS flushes';
    expect(await rows(connection, sql)).toEqual([
      { version: expect.stringContaining(server.version), host: '127.0.0.1', most: 17, flushes: 1 },
    ]);
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(connect(url.href)).rejects.toThrow('Access denied');
    [url.username, url.password] = ['root', ''];
    await expect(connect(url.href)).rejects.toThrow('Access denied');
  });

  faultTest('keeps committed rows, and only these, over a crash', async () => {
    await using server = await startMariadb();
    const database = await createMysqlDatabase(server.url);
    const connection = await connect(database);
    await connection.query('CREATE TABLE t (n int)');
    await connection.query('INSERT INTO t VALUES (1)');
    await connection.query('BEGIN');
    await connection.query('INSERT INTO t VALUES (2)');
    const before = server.pid;
    await injectFault(() => server.stop('immediate'));
    expect(processIdentity(before)).toBeUndefined();
    await injectFault(() => server.start());
    expect(server.pid).not.toBe(before);
    expect(await rows(await connect(database), 'SELECT n FROM t')).toEqual([{ n: 1 }]);
  });

  it('leaves nothing behind, and says why it does not start', async () => {
    const server = await startMariadb();
    const [{ dir }] = (await rows(await connect(server.url), 'SELECT @@datadir AS dir')) as [{ dir: string }];
    expect(existsSync(dir)).toBe(true);
    await server.close();
    await server.close();
    expect(processIdentity(server.pid)).toBeUndefined();
    expect(existsSync(dir)).toBe(false);
    await expect(startMariadb({ settings: { no_such_setting: '1' } })).rejects.toThrow(/no-such-setting/);
  });
});
