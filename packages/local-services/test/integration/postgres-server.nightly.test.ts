import { describe, expect, it, onTestFinished } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { type PostgresServer, startPostgres } from '../../src/index.js';
import { processIdentity } from '../../src/watchdog.js';
import { pgClient } from './connections.js';

async function setting(server: PostgresServer, name: string): Promise<string> {
  const client = await pgClient(server.url);
  const { rows } = await client.query<Record<string, string>>(`SHOW ${name}`);
  return rows[0]?.[name] ?? '';
}

describe('startPostgres', () => {
  it('syncs to disk, listens on loopback with a password, and tells its version', async () => {
    await using server = await startPostgres();
    expect(await setting(server, 'fsync')).toBe('on');
    expect(await setting(server, 'listen_addresses')).toBe('127.0.0.1');
    expect(await setting(server, 'server_version')).toContain(server.version);
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(pgClient(url.href)).rejects.toThrow('password authentication failed');
  });

  it('takes settings above the defaults and tells them', async () => {
    await using server = await startPostgres({ settings: { fsync: 'off', synchronous_commit: 'off' } });
    expect(await setting(server, 'fsync')).toBe('off');
    expect(await setting(server, 'synchronous_commit')).toBe('off');
    expect(server.settings).toMatchObject({ fsync: 'off', max_connections: '200' });
  });

  faultTest('keeps committed rows, and only these, over an immediate stop', async () => {
    await using server = await startPostgres();
    const client = await pgClient(server.url);
    await client.query('CREATE TABLE t (n int)');
    await client.query('INSERT INTO t VALUES (1)');
    await client.query('BEGIN');
    await client.query('INSERT INTO t VALUES (2)');
    const before = server.pid;
    await injectFault(() => server.stop('immediate'));
    expect(processIdentity(before)).toBeUndefined();
    await injectFault(() => server.start());
    expect(server.pid).not.toBe(before);
    const { rows } = await (await pgClient(server.url)).query('SELECT n FROM t');
    expect(rows).toEqual([{ n: 1 }]);
  });

  faultTest('stops fast with clients connected, and starts again', async () => {
    await using server = await startPostgres();
    await pgClient(server.url);
    const before = server.pid;
    await injectFault(() => server.stop('fast'));
    expect(processIdentity(before)).toBeUndefined();
    await server.start();
    await server.start();
    expect(await setting(server, 'port')).toBe(String(server.port));
  });

  it('creates databases that share nothing', async () => {
    await using server = await startPostgres();
    const first = await pgClient(await server.createDatabase());
    const second = await pgClient(await server.createDatabase('My "db"'));
    await first.query('CREATE TABLE t ()');
    expect((await second.query("SELECT to_regclass('t') AS t")).rows).toEqual([{ t: null }]);
    expect((await second.query('SELECT current_database() AS d')).rows).toEqual([{ d: 'My "db"' }]);
  });

  it('says what the server printed when it does not start', async () => {
    await expect(startPostgres({ settings: { no_such_setting: '1' } })).rejects.toThrow(/no_such_setting/);
  });

  it('runs the binaries of the npm package when told so', async () => {
    process.env.IDS_POSTGRES = 'embedded';
    onTestFinished(() => {
      delete process.env.IDS_POSTGRES;
    });
    await using server = await startPostgres();
    const client = await pgClient(server.url);
    const { rows } = await client.query('SELECT setting FROM pg_config WHERE name = $1', ['BINDIR']);
    expect(rows[0].setting).toMatch(/native\/bin$|postgres\/bin$/);
    process.env.IDS_POSTGRES = 'other';
    await expect(startPostgres()).rejects.toThrow('IDS_POSTGRES=other: only "embedded" is accepted');
  });
});
