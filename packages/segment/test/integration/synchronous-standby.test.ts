import { openPostgresPool, startPostgresReplication } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { createSequence, ensureSchema, fromPg, SqlSegmentSource } from '../../src/sql/index.js';

function openPool(connectionString: string): pg.Pool {
  const pool = openPostgresPool(connectionString, { max: 4 });
  onTestFinished(() => pool.end());
  return pool;
}

faultTest(
  'a segment that a synchronous standby never got is not used, though the role hides warnings',
  async () => {
    // Nothing is skipped, so that the warning is all there is.
    const replication = await startPostgresReplication({ synchronous: true });
    onTestFinished(() => replication.close());
    const formerPool = openPool(replication.primary.url);
    await ensureSchema(fromPg(formerPool));
    await createSequence(fromPg(formerPool), 'order');
    const latter = new SqlSegmentSource(fromPg(openPool(replication.standby.url)), { afterFailover: 0 });
    await formerPool.query(`CREATE ROLE quiet SUPERUSER LOGIN PASSWORD 'secret'`);
    await formerPool.query(`ALTER ROLE quiet SET client_min_messages = 'error'`);
    const url = new URL(replication.primary.url);
    url.username = 'quiet';
    url.password = 'secret';
    const quiet = openPool(url.href);
    expect((await quiet.query('SHOW client_min_messages')).rows).toEqual([{ client_min_messages: 'error' }]);
    const source = new SqlSegmentSource(fromPg(quiet));
    expect(await source.describe('order')).not.toHaveProperty('warnings');
    const { execute, close } = fromPg(quiet);
    const deaf = new SqlSegmentSource({
      execute: async (...query) => ({ ...(await execute(...query)), notices: [] }),
      close,
    });
    expect((await deaf.describe('order')).warnings).toHaveLength(1);
    const given = [await source.reserve('order', 10)];
    const lost = await injectFault(async () => {
      await replication.link.setMode('blackhole');
      const reserving = source.reserve('order', 10).catch((error: Error) => error);
      const watcher = openPool(replication.primary.url);
      await watcher.query(`SET synchronous_commit = 'local'`);
      const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
      while ((await watcher.query(cancel)).rowCount === 0);
      return reserving;
    });
    expect(lost).toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/\b11\.\.20\b/),
    });
    await injectFault(async () => {
      await replication.primary.stop('immediate');
      await replication.promote();
    });
    given.push(await latter.reserve('order', 10));
    expect(given.map(({ low }) => low)).toEqual([1, 11]);
  },
);
