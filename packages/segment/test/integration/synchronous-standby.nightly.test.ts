import { openPostgresPool, startPostgresReplication } from '@ids/local-services';
import { openNeonHttp, openNeonPool, openPostgresJs } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromNeon,
  fromPg,
  fromPostgresJs,
  postgresJsNotices,
  type SqlExecutor,
  SqlSegmentSource,
} from '../../src/sql/index.js';

function openPool(connectionString: string): pg.Pool {
  const pool = openPostgresPool(connectionString, { max: 4 });
  onTestFinished(() => pool.end());
  return pool;
}

function openPostgres(url: string, options: Parameters<typeof openPostgresJs>[1] = {}): SqlExecutor {
  const sql = openPostgresJs(url, options);
  onTestFinished(() => sql.end({ timeout: 0 }));
  return fromPostgresJs(sql);
}

/** Clients that hand over what the server warns of, besides `pg`: `synchronous-standby.test.ts`. */
const HEARING: Readonly<Record<string, (url: string) => SqlExecutor | Promise<SqlExecutor>>> = {
  postgres: (url) => openPostgres(url, { onnotice: postgresJsNotices() }),
  'a Pool of Neon': async (url) => {
    const pool = await openNeonPool(url);
    onTestFinished(() => pool.end());
    return fromNeon(pool);
  },
};

/** Clients that do not, and what is said about it. */
const DEAF = [
  {
    client: 'postgres without a hook',
    open: async (url: string) => openPostgres(url),
    why: 'the client of postgres was created without `onnotice: postgresJsNotices()`',
  },
  {
    client: 'the HTTP function of Neon',
    open: async (url: string) => fromNeon(await openNeonHttp(url)),
    why: 'Neon does not hand them over through HTTP, as it does through a Pool',
  },
];

it.each(DEAF)(
  '$client says at the start that it hears no warnings, if a standby must confirm',
  async (kind) => {
    const { open, why } = kind;
    await using replication = await startPostgresReplication({ synchronous: true });
    const executor = await open(replication.primary.url);
    await ensureSchema(executor);
    await createSequence(executor, 'order');
    const { warnings } = await new SqlSegmentSource(executor).describe('order');
    expect(warnings).toEqual([
      `warnings of the server do not arrive, because ${why}: a reservation that no standby confirmed would be used`,
    ]);
  },
);

for (const [client, open] of Object.entries(HEARING)) {
  faultTest(
    `through ${client}, a segment that a synchronous standby never got is not used, though the role hides warnings`,
    () => loseUnheard(open),
  );
}

async function loseUnheard(open: (typeof HEARING)[string]): Promise<void> {
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
  const quiet = await open(url.href);
  expect((await quiet.execute('SHOW client_min_messages', [])).rows).toEqual([
    { client_min_messages: 'error' },
  ]);
  const source = new SqlSegmentSource(quiet);
  expect(await source.describe('order')).not.toHaveProperty('warnings');
  const { execute, close } = quiet;
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
}
