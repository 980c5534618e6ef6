import { startRedis, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { adminOf, allWait, assertSound, load } from '../support/load.js';
import { type Context, createContext } from '../support/subject.js';

/**
 * As careless as a server may be: this Postgres acknowledges at once and writes its log 10 s later, unless a
 * reservation asks for more. `describe` refuses such a MariaDB, so that one is as it should be.
 */
const CARELESS = {
  postgres: { synchronous_commit: 'off', wal_writer_delay: '10s' },
  mysql: {},
} as const;

/** Segments so small that a load of this many ids needs the database many times. */
const MAX_STEP = 1_000;
const LIMIT = 10_000;

async function contextOf(redisUrl: string, databaseUrl: string, name: string): Promise<Context> {
  return { ...(await createContext(redisUrl, databaseUrl, uniqueName(name))), maxStep: MAX_STEP };
}

describe.each(SQL_DIALECTS)('four processes whose $server fails', (kind) => {
  faultTest('wait for it while it is down, and go on by themselves', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using server = await kind.start();
    const context = await contextOf(redis.url, server.url, 'down');
    await using recording = await load(context);
    await recording.issued(LIMIT / 2);
    const before = recording.noted('refill-failed');
    await injectFault(() => server.stop('fast'));
    await felt(
      'failed refills',
      () => recording.noted('refill-failed') > before + 3,
      recording.issued(LIMIT),
    );
    await felt('waiting callers', () => allWait(admin.redis, context), recording.issued(LIMIT));
    await injectFault(() => server.start());
    await recording.issued(LIMIT);
    const history = await recording.stop();
    assertSound(history);
    // A machine under load may take longer than the deadline to start a database.
    for (const { code } of history.failures) expect(code).toBe('ERR_IDS_UNAVAILABLE');
  });

  faultTest('wait while another transaction holds the row', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const database = await kind.shared();
    const context = await contextOf(redis.url, database, 'locked');
    await using session = kind.connect(database, 2);
    await using recording = await load(context);
    await recording.issued(LIMIT / 2);
    const unlock = await injectFault(() => session.hold(kind.lockRows(context.table)));
    await felt(
      'a reservation that waits for the lock',
      async () => (await session.waiting(context.table)) > 0,
      recording.issued(LIMIT),
    );
    await felt('waiting callers', () => allWait(admin.redis, context), recording.issued(LIMIT));
    await unlock?.();
    await recording.issued(LIMIT);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
  });

  faultTest('go on when it comes back after a crash, although it was told to commit carelessly', async () => {
    await using redis = await startRedis();
    await using server = await kind.start(CARELESS[kind.dialect]);
    await using recording = await load(await contextOf(redis.url, server.url, 'crash'));
    await recording.issued(LIMIT / 2);
    const before = recording.noted('refill-failed');
    await injectFault(() => server.stop('immediate'));
    await felt('a failed refill', () => recording.noted('refill-failed') > before, recording.issued(LIMIT));
    await injectFault(() => server.start());
    await recording.issued(LIMIT);
    assertSound(await recording.stop());
    // Redis and the processes know what was reserved, so a reservation that the crash lost repeats nothing
    // here: it shows in a table that is below them.
    expect(recording.noted('regression'), 'reservations that the crash lost').toBe(0);
  });

  faultTest('notice that max_id was lowered, raise it, and repeat nothing', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const database = await kind.shared();
    const context = await contextOf(redis.url, database, 'lowered');
    await using session = kind.connect(database, 1);
    await using recording = await load(context);
    await recording.issued(LIMIT / 2);
    const goBack = async () => {
      for (const text of kind.lower(context.table, context.name, 1_000)) await session.query(text);
    };
    let before = recording.noted('regression');
    await injectFault(goBack);
    await felt('a regression', () => recording.noted('regression') > before, recording.issued(LIMIT));
    // Several processes may have found it lower; a repair that is still under way would repair the
    // next fault too, unnoticed.
    await recording.issued(LIMIT);
    // And again, with Redis losing its high-water mark at the same time: the processes' own marks are left.
    before = recording.noted('regression');
    const missing = recording.noted('void: missing');
    await injectFault(async () => {
      await goBack();
      await admin.redis.flushall();
    });
    await felt('another regression', () => recording.noted('regression') > before, recording.issued(LIMIT));
    expect(recording.noted('void: missing')).toBeGreaterThan(missing);
    await recording.issued(LIMIT);
    assertSound(await recording.stop());
    const [row] = await session.query(`SELECT max_id FROM ${context.table}`);
    expect(Number(row?.max_id)).toBeGreaterThan(LIMIT);
  });
});
