import { startFaultProxy } from '@ids/local-services';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createSequence, fromPg, fromPgUrl, openSqlSource, SqlSegmentSource } from '../../src/sql/index.js';
import { origin } from '../origin.js';
import { connect, openDatabase, openPool, untilLocked } from './sql-database.js';

function urlWith(change: (url: URL) => void): string {
  const url = new URL(inject('databaseUrl'));
  change(url);
  return url.href;
}

describe('fromPg', () => {
  it('refuses a client and a connection of a pool, by type and at run time', async () => {
    const pool = openPool();
    const connection = await pool.connect();
    // @ts-expect-error a client is no pool
    expect(() => fromPg(new pg.Client())).toThrow(TypeError);
    // @ts-expect-error a connection of a pool is no pool
    expect(() => fromPg(connection)).toThrow(TypeError);
    connection.release();
  });

  /** How a careless user of the pool leaves a transaction open. */
  const LEFT_OPEN: Readonly<Record<string, (careless: pg.PoolClient) => Promise<unknown>>> = {
    'that somebody left open': (careless) => careless.query('BEGIN'),
    'that is only about to begin': async (careless) => void careless.query('BEGIN').catch(() => {}),
    'in which somebody has read': async (careless) => {
      await careless.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await careless.query('SELECT count(*) FROM pg_class');
    },
  };
  for (const [what, begin] of Object.entries(LEFT_OPEN)) {
    faultTest(`never reserves inside a transaction ${what} on a connection of the pool`, async () => {
      const { executor, table } = await openDatabase();
      await createSequence(executor, 'order', { table });
      const pool = openPool({ max: 1 });
      const source = new SqlSegmentSource(fromPg(pool), { table });
      // What the first reservation reads would be refused before it.
      await source.describe('order');
      const careless = await pool.connect();
      await injectFault(() => begin(careless));
      careless.release();
      await expect(source.reserve('order', 10)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
      expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
    });
  }

  it('gives connections back, and leaves no listener on them', async () => {
    const pool = openPool({ max: 1 });
    const executor = fromPg(pool);
    const readerOf = (client: object) => (client as { connection: NodeJS.EventEmitter }).connection;
    const unused = await pool.connect();
    const listeners = readerOf(unused).listenerCount('readyForQuery');
    unused.release();
    for (let i = 0; i < 15; i++) await executor.execute('SELECT 1', []);
    const connection = await pool.connect();
    expect(readerOf(connection).listenerCount('readyForQuery')).toBe(listeners);
    expect(connection.listenerCount('notice')).toBe(0);
    expect(connection.listenerCount('error')).toBe(0);
    connection.release();
    expect(pool.totalCount).toBe(1);
  });

  it('hands over the notices of a statement, and only those', async () => {
    const executor = fromPg(openPool({ max: 1 }));
    const { notices } = await executor.execute(`DO $$ BEGIN RAISE WARNING 'mind the gap'; END $$`, []);
    expect(notices).toEqual([expect.stringContaining('mind the gap')]);
    expect((await executor.execute('SELECT 1', [])).notices).toEqual([]);
  });

  it('sends nothing for a caller that gave up while all connections were taken, and gives its connection back', async () => {
    const { executor, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    const pool = openPool({ max: 1 });
    const taken = await pool.connect();
    const source = new SqlSegmentSource(fromPg(pool), { table });
    const controller = new AbortController();
    const reserving = source.reserve('order', 10, { signal: controller.signal });
    controller.abort(new Error('given up'));
    await expect(reserving).rejects.toThrow('given up');
    taken.release();
    expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
  });

  faultTest(
    'lets a caller give up while its row is locked, and goes on with another connection',
    async () => {
      const { executor, pool, table } = await openDatabase();
      await createSequence(executor, 'order', { table });
      const source = new SqlSegmentSource(executor, { table });
      const locker = await connect(pool);
      await injectFault(() => locker.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`));
      const controller = new AbortController();
      const reserving = source.reserve('order', 10, { signal: controller.signal });
      await injectFault(() => untilLocked(pool, table));
      // Off, the reservation is made: it must not be the abort that comes first.
      if (faultsOff) await reserving;
      controller.abort(new Error('given up'));
      await expect(reserving).rejects.toThrow('given up');
      await locker.query('ROLLBACK');
      locker.release();
      // The statement that nobody waits for may commit or not: its range is a gap at
      // worst, never given twice.
      expect([1, 11]).toContain((await source.reserve('order', 10)).low);
    },
  );

  faultTest(
    'survives a server process that ends in the middle of a statement, and uses another connection',
    async () => {
      const { executor, pool, table } = await openDatabase();
      await createSequence(executor, 'order', { table });
      const source = new SqlSegmentSource(fromPg(openPool({ max: 1, application_name: table })), { table });
      const locker = await connect(pool);
      await injectFault(() => locker.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`));
      const reserving = source.reserve('order', 10).catch((error: Error) => error);
      await injectFault(async () => {
        for (let ended = 0; ended === 0; ) {
          const { rowCount } = await pool.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`,
            [table],
          );
          ended = rowCount ?? 0;
        }
      });
      expect(await reserving).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
      await locker.query('ROLLBACK');
      locker.release();
      expect(await source.reserve('order', 10)).toEqual({ low: 1, high: 10, origin });
    },
  );

  faultTest(
    'survives a connection that is reset in the middle of a statement, and uses another one',
    async () => {
      const { executor, pool, table } = await openDatabase();
      await createSequence(executor, 'order', { table });
      const { hostname, port } = new URL(inject('databaseUrl'));
      const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port || 5432) } });
      onTestFinished(() => proxy.close());
      const distant = openPool({ connectionString: proxy.url(inject('databaseUrl')) });
      const source = new SqlSegmentSource(fromPg(distant), { table });
      const locker = await connect(pool);
      await injectFault(() => locker.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`));
      const reserving = source.reserve('order', 10).catch((error: Error) => error);
      await injectFault(async () => {
        await untilLocked(pool, table);
        proxy.cut();
      });
      expect(await reserving).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
      await locker.query('ROLLBACK');
      locker.release();
      expect([1, 11]).toContain((await source.reserve('order', 10)).low);
    },
  );

  it('leaves the pool open for its owner', async () => {
    const pool = openPool();
    await fromPg(pool).close();
    await (await openSqlSource({ database: pool })).close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('fromPgUrl', () => {
  it('opens a pool of its own, named in the activity of the server, and ends it', async () => {
    const executor = await fromPgUrl(inject('databaseUrl'), { max: 1 });
    const { rows } = await executor.execute(`SELECT current_setting('application_name') AS name`, []);
    expect(rows).toEqual([{ name: 'ids' }]);
    await executor.close();
    await executor.close();
    await expect(executor.execute('SELECT 1', [])).rejects.toThrow();
  });

  it.each([
    ['a wrong password', urlFor((url) => (url.password = 'hunter2')), 'ERR_IDS_CONFIG'],
    ['a missing database', urlFor((url) => (url.pathname = '/nowhere')), 'ERR_IDS_CONFIG'],
    ['a closed port', urlFor((url) => (url.port = '1')), 'ERR_IDS_UNAVAILABLE'],
    [
      'a host with several addresses and a closed port',
      urlFor((url) => (url.host = 'localhost:1')),
      'ERR_IDS_UNAVAILABLE',
    ],
    ['an unknown host', urlFor((url) => (url.hostname = 'no-such-host.invalid')), 'ERR_IDS_UNAVAILABLE'],
  ])('says what is wrong with %s, without the password', async (_what, url, code) => {
    const database = url();
    const source = await openSqlSource({ database });
    const error = await source.describe('order').catch((reason: Error) => reason);
    await source.close();
    expect(error).toMatchObject({ code });
    const { message, cause } = error as Error;
    expect(message).toMatch(/^segment table id_segment: \S/);
    const secret = decodeURIComponent(new URL(database).password);
    expect(`${message} ${(error as Error).stack} ${cause} ${JSON.stringify(error)}`).not.toContain(secret);
  });

  function urlFor(change: (url: URL) => void): () => string {
    return () => urlWith(change);
  }
});
