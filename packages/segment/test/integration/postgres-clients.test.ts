import { startFaultProxy } from '@ids/local-services';
import { POSTGRES_CLIENTS } from '@ids/local-services/dialects';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createSequence, openSqlSource, SqlSegmentSource } from '../../src/sql/index.js';
import { executorThrough } from './dialects.js';
import { connect, openDatabase, untilLocked } from './sql-database.js';

describe.each(POSTGRES_CLIENTS)('$server', (kind) => {
  /** A sequence, and a source whose client has this many connections. */
  async function openSequence({ connections = 4, url = inject('databaseUrl') } = {}) {
    const database = await openDatabase();
    await createSequence(database.executor, 'order', { table: database.table });
    const executor = await executorThrough(kind, url, connections);
    return { ...database, source: new SqlSegmentSource(executor, { table: database.table }) };
  }

  /** Locks the row until the returned function is called. */
  async function lock({ pool, table }: Awaited<ReturnType<typeof openSequence>>) {
    const locker = await connect(pool);
    await locker.query(`BEGIN; SELECT * FROM ${table} FOR UPDATE`);
    return async () => {
      await locker.query('ROLLBACK');
      locker.release();
    };
  }

  it('leaves a client open for its owner', async () => {
    const { pool, table } = await openSequence();
    const { database, end } = await kind.openClient(inject('databaseUrl'));
    onTestFinished(end);
    for (const low of [1, 11]) {
      const source = await openSqlSource({ database, table });
      expect((await source.reserve('order', 10)).low).toBe(low);
      await source.close();
    }
    expect((await pool.query(`SELECT max_id FROM ${table}`)).rows).toEqual([{ max_id: '20' }]);
  });

  /** A pool drops the connection, and its statement waits on. */
  const cancels = !kind.server.includes('Pool');

  faultTest('lets a caller give up while its row is locked, and goes on', async () => {
    const sequence = await openSequence({ connections: 1 });
    const { pool, schema, source, table } = sequence;
    await source.describe('order');
    const unlock = await injectFault(() => lock(sequence));
    const controller = new AbortController();
    const reserving = source.reserve('order', 10, { signal: controller.signal });
    await injectFault(() => untilLocked(pool, table));
    // Off, the reservation is made: it must not be the abort that comes first.
    if (faultsOff) await reserving;
    controller.abort(new Error('given up'));
    await expect(reserving).rejects.toThrow('given up');
    // With one connection, this is answered only because the statement no longer has it.
    await source.describe('order');
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
    while (cancels && ((await pool.query(waiting, [schema])).rowCount ?? 0) > 0);
    await unlock?.();
    // What nobody waits for may commit or not: its range is a gap at worst, never given twice.
    expect(cancels && !faultsOff ? [1] : [1, 11]).toContain((await source.reserve('order', 10)).low);
  });

  faultTest(
    'survives a server process that ends in the middle of a statement, and uses another connection',
    async () => {
      const sequence = await openSequence({ connections: 1 });
      const { pool, schema, source } = sequence;
      await source.describe('order');
      const unlock = await injectFault(() => lock(sequence));
      const reserving = source.reserve('order', 10).catch((error: Error) => error);
      await injectFault(async () => {
        const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
        while (((await pool.query(end, [schema])).rowCount ?? 0) === 0);
      });
      expect(await reserving).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
      await unlock?.();
      expect((await source.reserve('order', 10)).low).toBe(1);
    },
  );

  faultTest(
    'survives a connection that is reset in the middle of a statement, and uses another one',
    async () => {
      const { hostname, port } = new URL(inject('databaseUrl'));
      const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port || 5432) } });
      onTestFinished(() => proxy.close());
      const sequence = await openSequence({ connections: 1, url: proxy.url(inject('databaseUrl')) });
      const { pool, source, table } = sequence;
      await source.describe('order');
      const unlock = await injectFault(() => lock(sequence));
      const reserving = source.reserve('order', 10).catch((error: Error) => error);
      await injectFault(async () => {
        await untilLocked(pool, table);
        proxy.cut();
      });
      expect(await reserving).toMatchObject({ code: 'ERR_IDS_UNAVAILABLE', retryable: true });
      await unlock?.();
      expect([1, 11]).toContain((await source.reserve('order', 10)).low);
    },
  );

  faultTest('says that the server is away, and goes on when it is back', async () => {
    const { hostname, port } = new URL(inject('databaseUrl'));
    const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port || 5432) } });
    onTestFinished(() => proxy.close());
    const { source } = await openSequence({ connections: 2, url: proxy.url(inject('databaseUrl')) });
    await source.describe('order');
    await injectFault(async () => {
      await proxy.setMode('refuse');
      proxy.cut();
    });
    // More than it has connections.
    for (let asked = 0; asked < 5; asked++) {
      await expect(source.reserve('order', 10)).rejects.toMatchObject({ code: 'ERR_IDS_UNAVAILABLE' });
    }
    await proxy.setMode('pass');
    const lows = [1, 2, 3, 4, 5].map(async () => (await source.reserve('order', 10)).low);
    expect((await Promise.all(lows)).sort((a, b) => a - b)).toEqual([1, 11, 21, 31, 41]);
  });
});
