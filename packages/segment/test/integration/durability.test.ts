import { startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultsOff, faultTest, injectFault } from '@ids/local-services/fault-test';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import {
  type CreateSequenceOptions,
  createSequence,
  ensureSchema,
  openDatabase,
  openSqlSource,
  type SqlExecutor,
  type SqlSegmentSource,
  type SqlSourceOptions,
  whoIssued,
} from '../../src/sql/index.js';
import { origin } from '../origin.js';

/**
 * As careless as a server may be set: this Postgres acknowledges at once and writes its log 10 s later,
 * unless a reservation asks for more. MySQL cannot be asked for it, so `describe` refuses such a server.
 */
const SETTINGS = {
  postgres: { synchronous_commit: 'off', wal_writer_delay: '10s' },
  mysql: {},
} as const;

describe.each(SQL_DIALECTS)('SqlSegmentSource on a $server that fails', ({ dialect, start }) => {
  let server: SqlServer;

  beforeAll(async () => {
    server = await start(SETTINGS[dialect]);
  });
  afterAll(() => server?.close());

  async function openExecutor(): Promise<SqlExecutor> {
    const executor = await openDatabase(server.url);
    onTestFinished(() => executor.close());
    return executor;
  }

  async function openSource(
    options: Omit<SqlSourceOptions, 'database'>,
    url = server.url,
  ): Promise<SqlSegmentSource> {
    const source = await openSqlSource({ database: url, ...options });
    onTestFinished(() => source.close());
    return source;
  }

  /** A table of its own with the sequence `order`. */
  async function openTable(options: CreateSequenceOptions & { readonly log?: boolean } = {}) {
    const table = uniqueName('t');
    const executor = await openExecutor();
    await ensureSchema(executor, { table, log: options.log });
    await createSequence(executor, 'order', { ...options, table });
    return table;
  }

  /** Crashes the server and starts it again. */
  async function crash(): Promise<void> {
    const before = server.pid;
    await injectFault(async () => {
      await server.stop('immediate');
      await server.start();
    });
    expect(server.pid).not.toBe(before);
  }

  faultTest('has every segment it gave on disk when the server crashes', async () => {
    const table = await openTable();
    const source = await openSource({ table });
    await source.reserve('order', 10);
    const { high } = await source.reserve('order', 10, { floor: 500 });
    await crash();
    const again = await openSource({ table });
    expect((await again.reserve('order', 10)).low).toBe(high + 1);
  });

  faultTest(
    'has on disk who drew a segment, together with the segment, when the server crashes',
    async () => {
      const group = { by: 'day', timeZone: '+08:00' } as const;
      const table = await openTable({ log: true, group });
      const source = await openSource({ table, log: true, owner: 'desk 3' });
      await source.reserve('order', 10);
      const { low, high } = await source.reserve('order', 10);
      await crash();
      const again = await openSource({ table, log: true, owner: 'desk 4' });
      expect((await again.reserve('order', 10)).low).toBe(high + 1);
      const provenance = await whoIssued(await openExecutor(), 'order', low, { table });
      expect(provenance).toMatchObject({ status: 'granted', grants: [{ low, high, owner: 'desk 3' }] });
    },
  );

  faultTest('has a sequence on disk when its creation was acknowledged', async () => {
    const table = await openTable({ startAfter: 5 });
    await crash();
    expect(await (await openSource({ table })).describe('order')).toMatchObject({ maxId: 5 });
  });

  faultTest('never returns a segment again whose answer was lost', async () => {
    const table = await openTable();
    await using proxy = await startFaultProxy({ target: { host: '127.0.0.1', port: server.port } });
    const source = await openSource({ table }, proxy.url(server.url));
    const { maxId } = await source.describe('order');
    // On a connection that exists, so that it is the answer of the reservation that is lost.
    expect(await source.reserve('order', 10)).toEqual({ low: maxId + 1, high: maxId + 10, origin });
    await injectFault(() => proxy.setMode('swallow-replies'));
    const controller = new AbortController();
    const lost = source.reserve('order', 10, { signal: controller.signal }).catch((error: Error) => error);
    const direct = await openSource({ table });
    await expect.poll(async () => (await direct.describe('order')).maxId).toBe(maxId + 20);
    // Off, the answer arrives: it must not be the abort that comes first.
    if (faultsOff) await lost;
    controller.abort(new Error('given up'));
    expect(await lost).toMatchObject({ message: 'given up' });
    await injectFault(() => proxy.setMode('pass'));
    expect((await source.reserve('order', 10)).low).toBe(maxId + 21);
  });
});
