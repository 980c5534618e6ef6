import { expect, it } from 'vitest';
import { startPostgresReplication } from '../../src/index.js';
import { pgClient } from './connections.js';

it('promotes a standby that lacks what its link did not carry', async () => {
  await using replication = await startPostgresReplication();
  const { primary, standby, link } = replication;
  const client = await pgClient(primary.url);
  await client.query('CREATE TABLE t (n int); INSERT INTO t VALUES (1)');
  await replication.caughtUp();
  const follower = await pgClient(standby.url);
  await expect(follower.query('INSERT INTO t VALUES (9)')).rejects.toThrow('read-only');
  await link.setMode('blackhole');
  await client.query('INSERT INTO t VALUES (2)');
  await replication.promote();
  await follower.query('INSERT INTO t VALUES (3)');
  expect((await follower.query('SELECT n FROM t ORDER BY n')).rows).toEqual([{ n: 1 }, { n: 3 }]);
  expect((await client.query('SELECT n FROM t ORDER BY n')).rows).toEqual([{ n: 1 }, { n: 2 }]);
});

it('lets commits wait for a synchronous standby', async () => {
  await using replication = await startPostgresReplication({ synchronous: true });
  const { primary, link } = replication;
  const client = await pgClient(primary.url);
  await client.query('CREATE TABLE t (n int)');
  await link.setMode('blackhole');
  const waiting = client.query('INSERT INTO t VALUES (1)');
  const watcher = await pgClient(primary.url);
  const waits = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
  while ((await watcher.query(waits)).rowCount === 0);
  await link.setMode('pass');
  await waiting;
});
