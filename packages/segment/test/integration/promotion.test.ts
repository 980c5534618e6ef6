import { openPostgresPool, type PostgresReplication, startPostgresReplication } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromPg,
  SqlSegmentSource,
  type SqlSegmentSourceOptions,
  sequenceSql,
} from '../../src/sql/index.js';

const SKIP = 1_000;

interface Pair {
  readonly replication: PostgresReplication;
  /** Sources on the two servers; each knows nothing of the other. */
  readonly former: SqlSegmentSource;
  readonly latter: SqlSegmentSource;
  readonly openLatter: (options: SqlSegmentSourceOptions) => SqlSegmentSource;
  readonly formerPool: pg.Pool;
  readonly latterPool: pg.Pool;
}

function openPool(connectionString: string): pg.Pool {
  const pool = openPostgresPool(connectionString, { max: 4 });
  onTestFinished(() => pool.end());
  return pool;
}

async function openPair({
  synchronous,
  ...options
}: SqlSegmentSourceOptions & { readonly synchronous: boolean }): Promise<Pair> {
  const replication = await startPostgresReplication({ synchronous });
  onTestFinished(() => replication.close());
  const [formerPool, latterPool] = [openPool(replication.primary.url), openPool(replication.standby.url)];
  await ensureSchema(fromPg(formerPool));
  await createSequence(fromPg(formerPool), 'order');
  const sourceOf = (pool: pg.Pool, own: SqlSegmentSourceOptions = options) =>
    new SqlSegmentSource(fromPg(pool), { afterFailover: SKIP, afterRestore: 'refuse', ...own });
  const openLatter = (own: SqlSegmentSourceOptions) => sourceOf(latterPool, own);
  const [former, latter] = [sourceOf(formerPool), openLatter(options)];
  return { replication, formerPool, latterPool, former, latter, openLatter };
}

/** Ends the primary and promotes the standby. The source on it is only asked from now on. */
async function failOver(
  { replication, latterPool }: Pair,
  how: 'immediate' | 'fast' = 'immediate',
): Promise<void> {
  await injectFault(async () => {
    await replication.primary.stop(how);
    await replication.promote();
  });
  const { rows } = await latterPool.query('SELECT pg_is_in_recovery() AS standby');
  expect(rows).toEqual([{ standby: false }]);
}

faultTest('a promoted standby that lacks commits repeats nothing that was reserved in them', async () => {
  const pair = await openPair({ synchronous: false });
  const { replication, formerPool, former, latter } = pair;
  await createSequence(fromPg(formerPool), 'unused');
  await formerPool.query(sequenceSql('migrated'));
  await former.reserve('order', 100);
  await replication.caughtUp();
  await injectFault(() => replication.link.setMode('blackhole'));
  const lost = await former.reserve('order', 50);
  await former.reserve('unused', 50);
  await former.reserve('migrated', 50);
  await failOver(pair);
  const newReign = { cause: 'failover', skipped: SKIP };
  const segment = await latter.reserve('order', 10);
  expect(segment).toEqual({ low: 101 + SKIP, high: 110 + SKIP, newReign });
  expect(segment.low).toBeGreaterThan(lost.high);
  expect(await latter.reserve('order', 10)).not.toHaveProperty('newReign');
  // The standby has the row as createSequence left it.
  expect(await latter.reserve('unused', 10)).toEqual({ low: 1 + SKIP, high: 10 + SKIP, newReign });
  // And this one as the SQL of a migration left it.
  expect(await latter.reserve('migrated', 10)).toEqual({ low: 1 + SKIP, high: 10 + SKIP, newReign });
});

faultTest('a planned switch-over is refused, or skips nothing, where that was asked for', async () => {
  const pair = await openPair({ synchronous: true, afterFailover: 'refuse' });
  const { former, latter, openLatter } = pair;
  await former.reserve('order', 100);
  await failOver(pair, 'fast');
  const { warnings } = await latter.describe('order');
  expect(warnings).toContainEqual(expect.stringMatching(/promoted.*refused until setFloor/));
  await expect(latter.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
  const newReign = { cause: 'failover', skipped: 0 };
  expect(await openLatter({ afterFailover: 0 }).reserve('order', 10)).toEqual({
    low: 101,
    high: 110,
    newReign,
  });
});

faultTest(
  'a segment that a synchronous standby never got is not used, though the role hides warnings',
  async () => {
    // Nothing is skipped, so that the warning is all there is.
    const pair = await openPair({ synchronous: true, afterFailover: 0 });
    const { replication, formerPool, latter } = pair;
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
    expect((await deaf.describe('order')).warnings).toEqual([
      expect.stringMatching(/warnings of the server do not arrive/),
    ]);
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
      message: expect.stringMatching(/11\.\.20 is not used.*replicated/),
    });
    await failOver(pair);
    given.push(await latter.reserve('order', 10));
    expect(given.map(({ low }) => low)).toEqual([1, 11]);
  },
);
