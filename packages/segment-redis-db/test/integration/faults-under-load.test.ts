import { assertHistory, checkHistory, type History, startProcesses } from '@ids/conformance';
import { startFaultProxy, startPostgres, startRedis, uniqueName } from '@ids/local-services';
import { fromPgUrl } from '@ids/segment/sql';
import { Redis } from 'ioredis';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { type Context, createContext } from '../support/subject.js';

const database = inject('databaseUrl');
const LEVELS = ['unique', 'real-time', 'increasing', 'fifo'] as const;

/** Four processes, eight callers each, on `context`; errors of single calls are part of a fault. */
function load(context: Context, subject = '../support/subject.ts') {
  const module = new URL(subject, import.meta.url);
  return startProcesses({ module, context, processes: 4, callers: 8, tolerateErrors: true });
}

function assertSound(history: History): void {
  assertHistory(history, { levels: LEVELS });
  expect(history.records.length).toBeGreaterThan(1_000);
}

describe('four processes on one sequence', () => {
  it('go on, in order, when Redis is killed and comes back with an old dump, again and again', async () => {
    await using redis = await startRedis();
    await using admin = client(redis.url);
    const recording = await load(await createContext(redis.url, database, uniqueName('kill')));
    for (let i = 0; i < 4; i++) {
      await recording.issued(2_000);
      await admin.redis.save();
      await recording.issued(2_000);
      await redis.kill();
      await redis.restart();
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });

  it('settle every call, in order, when replies are swallowed and connections cut', async () => {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    const recording = await load(await createContext(proxy.url('redis'), database, uniqueName('cut')));
    for (let i = 0; i < 10; i++) {
      await recording.issued(500);
      await proxy.setMode('swallow-replies');
      proxy.cut();
      await proxy.setMode('pass');
    }
    await recording.issued(500);
    assertSound(await recording.stop());
  });

  /** Scripts are flushed again and again behind a slow link, so that some takes have to be sent twice. */
  async function flushScripts(subject?: string): Promise<History> {
    await using redis = await startRedis();
    await using proxy = await startFaultProxy({ target: redis });
    proxy.delay(5);
    await using admin = client(redis.url);
    const context = await createContext(proxy.url('redis'), database, uniqueName('flush'));
    const recording = await load(context, subject);
    for (let i = 0; i < 30; i++) {
      await recording.issued(100);
      await admin.redis.script('FLUSH');
    }
    return await recording.stop();
  }

  it('keep first come, first served while scripts are flushed behind a slow link', async () => {
    assertSound(await flushScripts());
  });

  it('would not, if a process had more than one take in flight', async () => {
    const history = await flushScripts('../support/uncoalesced.ts');
    expect(checkHistory(history, { levels: ['unique', 'fifo'] }).counts).toMatchObject({
      unique: 0,
      fifo: expect.toSatisfy((count: number) => count > 0),
    });
  });

  it('lose nothing but numbers when the hash is deleted under their hands', async () => {
    await using redis = await startRedis();
    await using admin = client(redis.url);
    const recording = await load(await createContext(redis.url, database, uniqueName('del')));
    for (let i = 0; i < 30; i++) {
      await recording.issued(300);
      await admin.redis.flushall();
    }
    assertSound(await recording.stop());
  });

  it('wait out a stopped Redis', async () => {
    await using redis = await startRedis();
    const recording = await load(await createContext(redis.url, database, uniqueName('stop')));
    await recording.issued(2_000);
    redis.pause();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    redis.resume();
    await recording.issued(2_000);
    const history = await recording.stop();
    assertSound(history);
    expect(history.failures).toEqual([]);
  });

  it('go on without those that are killed, whatever they held', async () => {
    await using redis = await startRedis();
    const recording = await load(await createContext(redis.url, database, uniqueName('kill9')));
    for (const process of [1, 2, 3]) {
      await recording.issued(2_000);
      recording.kill(process, 'SIGKILL');
    }
    await recording.issued(2_000);
    assertSound(await recording.stop());
  });
});

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
    await using admin = client(redis.url);
    await admin.redis.flushall();
    await recording.issued(30_000);
    assertSound(await recording.stop());
    const { rows } = await executor.execute(`SELECT max_id FROM ${context.table}`, []);
    expect(Number(rows[0]?.max_id)).toBeGreaterThan(20_000);
    await executor.close();
  });
});

function client(url: string) {
  const redis = new Redis(url, { retryStrategy: () => 20 });
  redis.on('error', () => {
    // The server is killed on purpose.
  });
  return { redis, [Symbol.asyncDispose]: async () => redis.disconnect() };
}
