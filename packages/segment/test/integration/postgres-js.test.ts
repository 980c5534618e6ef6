import { startFaultProxy } from '@ids/local-services';
import { openPostgresJs } from '@ids/local-services/dialects';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  createSequence,
  fromPostgresJs,
  type PostgresJsNotice,
  postgresJsNotices,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { connect, openDatabase, untilLocked } from './sql-database.js';

/** A client that ends with the test. */
function open(options: Parameters<typeof openPostgresJs>[1] = {}, url = inject('databaseUrl')): postgres.Sql {
  const sql = openPostgresJs(url, options);
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

async function openSequence() {
  const database = await openDatabase();
  await createSequence(database.executor, 'order', { table: database.table });
  return database;
}

describe('fromPostgresJs', () => {
  it('refuses a transaction and a reserved connection, by type and at run time', async () => {
    const sql = open();
    const reserved = await sql.reserve();
    await sql.begin(async (transaction) => {
      // @ts-expect-error a transaction is no client
      expect(() => fromPostgresJs(transaction)).toThrow(TypeError);
    });
    // @ts-expect-error nor is a pool of another driver
    expect(() => fromPostgresJs({ connect: () => {}, totalCount: 0 })).toThrow(TypeError);
    expect(() => fromPostgresJs(reserved as unknown as postgres.Sql)).toThrow(TypeError);
    reserved.release();
  });

  it.each([
    [{ fetch_types: false }, /fetch_types/],
    [{ transform: postgres.camel }, /\btransform\b/],
    [{ transform: { value: { from: String } } }, /\btransform\b/],
  ] as const)('refuses a client with %o', (options, message) => {
    expect(() => fromPostgresJs(open(options))).toThrow(message);
  });

  it.each([{ types: { bigint: postgres.BigInt } }, { prepare: false }, { debug: () => {} }])(
    'takes a client with %o',
    async (options) => {
      const { table } = await openSequence();
      const source = new SqlSegmentSource(fromPostgresJs(open(options)), { table });
      expect((await source.reserve('order', 10)).low).toBe(1);
    },
  );

  /** How a careless user of the client leaves a transaction open, with so many connections. */
  const LEFT_OPEN: Readonly<Record<string, { max: number; begin: (sql: postgres.Sql) => Promise<unknown> }>> =
    {
      'on the only connection': { max: 1, begin: (sql) => sql.unsafe('BEGIN') },
      'that has read': {
        max: 1,
        begin: async (sql) => {
          await sql.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ');
          await sql.unsafe('SELECT count(*) FROM pg_class');
        },
      },
      'although the client refused it': {
        max: 2,
        begin: async (sql) => expect(sql.unsafe('BEGIN')).rejects.toThrow(/Only use sql.begin/),
      },
      'on a reserved connection': {
        max: 2,
        begin: async (sql) => {
          const reserved = await sql.reserve();
          await reserved.unsafe('BEGIN');
          reserved.release();
        },
      },
    };
  for (const [where, { max, begin }] of Object.entries(LEFT_OPEN)) {
    faultTest(`never reserves inside a transaction that was left open ${where}`, async () => {
      const { table, pool } = await openSequence();
      const sql = open({ max });
      const source = new SqlSegmentSource(fromPostgresJs(sql), { table });
      await source.describe('order');
      await injectFault(() => begin(sql));
      await expect(source.reserve('order', 10)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
      // What the statement did is undone, and it locks nobody out.
      expect((await pool.query(`SELECT max_id FROM ${table} FOR UPDATE`)).rows).toEqual([{ max_id: '0' }]);
      if (max === 1) {
        // Its owner hears of it.
        await expect(sql.unsafe('SELECT 1')).rejects.toThrow(/transaction is aborted/);
        await sql.unsafe('ROLLBACK');
      }
      expect((await source.reserve('order', 10)).low).toBe(1);
    });
  }

  it('hands over what the server warns of, and prints nothing', async () => {
    const printed: PostgresJsNotice[] = [];
    const onnotice = postgresJsNotices((notice) => printed.push(notice));
    const executor = fromPostgresJs(open({ max: 1, onnotice }));
    expect(executor).not.toHaveProperty('deaf');
    const { notices } = await executor.execute(`DO $$ BEGIN RAISE WARNING 'mind the gap'; END $$`, []);
    expect(notices).toEqual([expect.stringContaining('mind the gap')]);
    expect((await executor.execute('SELECT 1', [])).notices).toEqual([]);
    expect(printed).toEqual([expect.objectContaining({ message: 'mind the gap' })]);
  });

  it('sends nothing for a caller that gave up while all connections were taken, and gives its connection back', async () => {
    const { table } = await openSequence();
    const sql = open({ max: 1 });
    const taken = await sql.reserve();
    const source = new SqlSegmentSource(fromPostgresJs(sql), { table });
    const controller = new AbortController();
    const reserving = source.reserve('order', 10, { signal: controller.signal });
    controller.abort(new Error('given up'));
    await expect(reserving).rejects.toThrow('given up');
    taken.release();
    expect((await source.reserve('order', 10)).low).toBe(1);
  });

  it('waits no longer than connect_timeout for a connection', async () => {
    const { table } = await openSequence();
    const sql = open({ max: 1, connect_timeout: 1 });
    const taken = await sql.reserve();
    await expect(
      new SqlSegmentSource(fromPostgresJs(sql), { table }).reserve('order', 10),
    ).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/\b1000 ms\b/),
    });
    taken.release();
  });

  faultTest('asks again for a connection that the client has forgotten', async () => {
    const { table } = await openSequence();
    const { hostname, port } = new URL(inject('databaseUrl'));
    const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
    onTestFinished(() => proxy.close());
    const sql = open({ max: 1 }, proxy.url(inject('databaseUrl')));
    const source = new SqlSegmentSource(fromPostgresJs(sql), { table });
    await source.describe('order');
    const taken = await sql.reserve();
    const forgotten = sql.reserve();
    const reserving = source.reserve('order', 10);
    await injectFault(async () => proxy.cut());
    if (faultsOff) taken.release();
    // The client answers nobody who waited before the loss, only who asks again.
    const first = await Promise.race([
      forgotten.then(() => 'the one who waited'),
      reserving.then(({ low }) => low),
    ]);
    expect(first).toBe(1);
  });

  faultTest(
    'survives a server that takes no more connections when a statement is to be cancelled',
    async () => {
      const { table, pool } = await openSequence();
      const { hostname, port } = new URL(inject('databaseUrl'));
      const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
      onTestFinished(() => proxy.close());
      const sql = open({ max: 1 }, proxy.url(inject('databaseUrl')));
      const source = new SqlSegmentSource(fromPostgresJs(sql), { table });
      await source.describe('order');
      const locker = await connect(pool);
      await locker.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`);
      const controller = new AbortController();
      const reserving = source.reserve('order', 10, { signal: controller.signal });
      await untilLocked(pool, table);
      await injectFault(() => proxy.setMode('refuse'));
      controller.abort(new Error('given up'));
      await expect(reserving).rejects.toThrow('given up');
      await locker.query('ROLLBACK');
      locker.release();
      // Nothing was cancelled, so that the statement has committed when its connection is free again.
      expect((await source.reserve('order', 10)).low).toBe(await injectFault(async () => 11));
    },
  );

  it('runs a statement again whose plan was dropped, and looks for a transaction after that', async () => {
    const sql = open({ max: 1 });
    const executor = fromPostgresJs(sql);
    const read = async () => (await executor.prepared?.('SELECT $1::int + 1 AS next', [1]))?.rows;
    expect(await read()).toEqual([{ next: 2 }]);
    await sql.unsafe('DEALLOCATE ALL');
    expect(await read()).toEqual([{ next: 2 }]);
    await sql.unsafe('BEGIN');
    await sql.unsafe('DEALLOCATE ALL');
    await expect(read()).rejects.toThrow(/transaction/);
    await sql.unsafe('ROLLBACK');
    expect(await read()).toEqual([{ next: 2 }]);
  });
});
