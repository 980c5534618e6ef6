import { startPostgres, startRedis, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { fromPgUrl } from '@ids/segment/sql';
import pg from 'pg';
import { describe, expect, inject } from 'vitest';
import { adminOf, allWait, assertSound, load } from '../support/load.js';
import { type Context, createContext } from '../support/subject.js';

const database = inject('databaseUrl');

/** Segments so small that a load of this many ids needs the database many times. */
const MAX_STEP = 1_000;
const LIMIT = 10_000;

async function contextOf(redisUrl: string, databaseUrl: string, name: string): Promise<Context> {
  return { ...(await createContext(redisUrl, databaseUrl, uniqueName(name))), maxStep: MAX_STEP };
}

describe('four processes whose database fails', () => {
  faultTest('wait for it while it is down, and go on by themselves', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    await using postgres = await startPostgres();
    const context = await contextOf(redis.url, postgres.url, 'down');
    await using recording = await load(context);
    await recording.issued(LIMIT / 2);
    const before = recording.noted('refill-failed');
    await injectFault(() => postgres.stop('fast'));
    await felt(
      'failed refills',
      () => recording.noted('refill-failed') > before + 3,
      recording.issued(LIMIT),
    );
    await felt('waiting callers', () => allWait(admin.redis, context), recording.issued(LIMIT));
    await injectFault(() => postgres.start());
    await recording.issued(LIMIT);
    const history = await recording.stop();
    assertSound(history);
    // A machine under load may take longer than the deadline to start a database.
    for (const { code } of history.failures) expect(code).toBe('ERR_IDS_UNAVAILABLE');
  });

  faultTest('wait while another transaction holds the row', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const context = await contextOf(redis.url, database, 'locked');
    await using recording = await load(context);
    await recording.issued(LIMIT / 2);
    const blocker = new pg.Client(database);
    await blocker.connect();
    await injectFault(async () => {
      await blocker.query('BEGIN');
      await blocker.query(`SELECT * FROM ${context.table} FOR UPDATE`);
    });
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
    await felt(
      'a reservation that waits for the lock',
      async () => ((await blocker.query(waiting, [context.table])).rowCount ?? 0) > 0,
      recording.issued(LIMIT),
    );
    await felt('waiting callers', () => allWait(admin.redis, context), recording.issued(LIMIT));
    await injectFault(() => blocker.query('COMMIT'));
    await blocker.end();
    await recording.issued(LIMIT);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
  });

  faultTest('go on when it comes back after a crash, although it was told to commit carelessly', async () => {
    await using redis = await startRedis();
    await using postgres = await startPostgres({ settings: { synchronous_commit: 'off' } });
    await using recording = await load(await contextOf(redis.url, postgres.url, 'crash'));
    await recording.issued(LIMIT / 2);
    const before = recording.noted('refill-failed');
    await injectFault(() => postgres.stop('immediate'));
    await felt('a failed refill', () => recording.noted('refill-failed') > before, recording.issued(LIMIT));
    await injectFault(() => postgres.start());
    await recording.issued(LIMIT);
    assertSound(await recording.stop());
  });

  faultTest('notice that max_id was lowered, raise it, and repeat nothing', async () => {
    await using redis = await startRedis();
    await using admin = adminOf(redis.url);
    const context = await contextOf(redis.url, database, 'lowered');
    const executor = await fromPgUrl(database);
    await using recording = await load(context);
    await recording.issued(LIMIT / 2);
    await executor.execute(`ALTER TABLE ${context.table} DISABLE TRIGGER USER`, []);
    const goBack = () => executor.execute(`UPDATE ${context.table} SET max_id = 1000`, []);
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
    const { rows } = await executor.execute(`SELECT max_id FROM ${context.table}`, []);
    expect(Number(rows[0]?.max_id)).toBeGreaterThan(LIMIT);
    await executor.close();
  });
});
