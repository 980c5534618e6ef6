import { startPostgres, startRedis, uniqueName } from '@ids/local-services';
import { fromPgUrl } from '@ids/segment/sql';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { adminOf, assertSound, load } from '../support/load.js';
import { createContext } from '../support/subject.js';

const database = inject('databaseUrl');

describe('four processes whose database fails', () => {
  it('wait for it while it is down, and go on by themselves', async () => {
    await using redis = await startRedis();
    await using postgres = await startPostgres();
    const recording = await load(await createContext(redis.url, postgres.url, uniqueName('down')));
    await recording.issued(20_000);
    await postgres.stop('fast');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await postgres.start();
    await recording.issued(20_000);
    const history = await recording.stop();
    assertSound(history);
    // A machine under load may take longer than the deadline to start a database.
    for (const { code } of history.failures) expect(code).toBe('ERR_IDS_UNAVAILABLE');
  });

  it('wait while another transaction holds the row', async () => {
    await using redis = await startRedis();
    const context = await createContext(redis.url, database, uniqueName('locked'));
    const recording = await load(context);
    await recording.issued(20_000);
    const blocker = new pg.Client(database);
    await blocker.connect();
    await blocker.query('BEGIN');
    await blocker.query(`SELECT * FROM ${context.table} FOR UPDATE`);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await blocker.query('COMMIT');
    await blocker.end();
    await recording.issued(20_000);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
  });

  it('go on when it comes back after a crash, although it was told to commit carelessly', async () => {
    await using redis = await startRedis();
    await using postgres = await startPostgres({ settings: { synchronous_commit: 'off' } });
    const recording = await load(await createContext(redis.url, postgres.url, uniqueName('crash')));
    await recording.issued(20_000);
    await postgres.stop('immediate');
    await postgres.start();
    await recording.issued(20_000);
    assertSound(await recording.stop());
  });

  it('notice that max_id was lowered, raise it, and repeat nothing', async () => {
    await using redis = await startRedis();
    const context = await createContext(redis.url, database, uniqueName('lowered'));
    const executor = await fromPgUrl(database);
    const recording = await load(context);
    await recording.issued(20_000);
    await executor.execute(`ALTER TABLE ${context.table} DISABLE TRIGGER USER`, []);
    await executor.execute(`UPDATE ${context.table} SET max_id = 1000`, []);
    await recording.issued(30_000);
    // And again, with Redis losing its high-water mark at the same time: the processes' own marks are left.
    await executor.execute(`UPDATE ${context.table} SET max_id = 1000`, []);
    await using admin = adminOf(redis.url);
    await admin.redis.flushall();
    await recording.issued(30_000);
    assertSound(await recording.stop());
    const { rows } = await executor.execute(`SELECT max_id FROM ${context.table}`, []);
    expect(Number(rows[0]?.max_id)).toBeGreaterThan(20_000);
    await executor.close();
  });
});
