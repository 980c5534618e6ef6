import { startFaultProxy } from '@ids/local-services';
import { SQL_DIALECTS, type SqlServer } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openGenerator, openKeyDatabase, openSource, reserve } from './key-database.js';

/**
 * As careless as a server may be set: this Postgres acknowledges at once and writes its log 10 s later,
 * unless a reservation asks for more. MySQL cannot be asked for it, so `describe` refuses such a server.
 */
const SETTINGS = {
  postgres: { synchronous_commit: 'off', wal_writer_delay: '10s' },
  mysql: {},
} as const;

/** How many deadlocks the server has ended. */
const DEADLOCKS = {
  postgres: 'SELECT sum(deadlocks)::int AS n FROM pg_stat_database',
  mysql: `SELECT VARIABLE_VALUE AS n FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'Innodb_deadlocks'`,
} as const;

describe.each(SQL_DIALECTS)('keys on a $server of their own', (kind) => {
  let server: SqlServer;

  beforeAll(async () => {
    server = await kind.start(SETTINGS[kind.dialect]);
  });
  afterAll(() => server?.close());

  const open = () => openKeyDatabase(kind, { url: server.url });

  /** Crashes the server and starts it again. */
  async function crash(): Promise<void> {
    const before = server.pid;
    await injectFault(async () => {
      await server.stop('immediate');
      await server.start();
    });
    expect(server.pid).not.toBe(before);
  }

  faultTest('have on disk what was reserved of them when the server crashes', async () => {
    const { table, source } = await open();
    await reserve(await source(), ['old']);
    await reserve(await source(), ['old', 'new']);
    await crash();
    expect(await reserve(await openSource(server.url, { table }), ['old', 'new'])).toEqual([30, 20]);
  });

  faultTest('repeat no id when the server crashes under load', async () => {
    const { source } = await open();
    const generator = await openGenerator(await source(), { deadlineMs: 30_000 });
    const issued = new Map<string, number[]>();
    let over = false;
    const worker = async (first: number): Promise<void> => {
      for (let i = first; !over; i += 7) {
        const key = `k${i % 20}`;
        const ids = await generator.nextBatch(key, 1 + (i % 3));
        issued.set(key, [...(issued.get(key) ?? []), ...ids]);
      }
    };
    const workers = Array.from({ length: 8 }, (_, i) => worker(i));
    const progress = () => expect.poll(() => issued.size, { timeout: 30_000 }).toBe(20);
    await progress();
    await crash();
    issued.set('before the crash', []);
    const before = [...issued.values()].flat().length;
    await expect
      .poll(() => [...issued.values()].flat().length, { timeout: 30_000 })
      .toBeGreaterThan(before + 100);
    over = true;
    await Promise.all(workers);
    expect(generator.counters().refillFailures).toBeGreaterThan(0);
    for (const [key, ids] of issued) expect(new Set(ids).size, key).toBe(ids.length);
    await generator.close();
  });

  faultTest('lose only ids if an answer does not arrive', async () => {
    const { table } = await open();
    const { hostname: host, port } = new URL(server.url);
    const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
    onTestFinished(() => proxy.close());
    const generator = await openGenerator(await openSource(proxy.url(server.url), { table }), {
      deadlineMs: 20_000,
    });
    expect(await generator.nextBatch('a', 10)).toEqual(Array.from({ length: 10 }, (_, i) => i + 1));
    await injectFault(() => proxy.setMode('swallow-replies'));
    const late = generator.nextBatch('a', 10);
    const other = await openSource(server.url, { table });
    await expect.poll(() => other.highest('message', 'a'), { timeout: 15_000 }).toBeGreaterThanOrEqual(20);
    await injectFault(async () => {
      await proxy.setMode('pass');
      proxy.cut();
    });
    expect((await late)[0]).toBeGreaterThan(20);
    await generator.close();
  });

  it('are locked in one order, so that processes which ask in opposite orders never deadlock', async () => {
    const { session, source } = await open();
    const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
    const [one, other] = [await source(), await source()];
    await reserve(one, keys, 1);
    const deadlocks = async () => Number((await session.query(DEADLOCKS[kind.dialect]))[0]?.n);
    const before = await deadlocks();
    const highs: number[] = [];
    const ask = async (keyed: typeof one, order: readonly string[]): Promise<void> => {
      for (let round = 0; round < 60; round++) {
        const requests = order.map((key) => ({ key, size: 1 }));
        const answer = await keyed.reserve('message', requests, { wait: true });
        highs.push(...answer.keys.map((key) => ('high' in key ? key.high : Number.NaN)));
      }
    };
    await Promise.all(
      [one, other, one, other].map((keyed, i) => ask(keyed, i % 2 ? keys : keys.toReversed())),
    );
    // Each of the keys was asked for 240 times.
    expect(highs.sort((a, b) => a - b)).toEqual(
      Array.from({ length: 9_600 }, (_, i) => 2 + Math.floor(i / 40)),
    );
    expect(await deadlocks()).toBe(before);
  });

  it('are made by processes that ask in opposite orders, without an error', async () => {
    const { source } = await open();
    const [one, other] = [await source(), await source()];
    for (let round = 0; round < 30; round++) {
      const keys = Array.from({ length: 30 }, (_, i) => `${round}:${i}`);
      const ask = (keyed: typeof one, order: readonly string[]) =>
        keyed.reserve(
          'message',
          order.map((key) => ({ key, size: 1 })),
          { wait: true },
        );
      const answers = await Promise.all([ask(one, keys), ask(other, keys.toReversed())]);
      const highs = answers.map((answer) => answer.keys.map((key) => ('high' in key ? key.high : 0)));
      for (const [i, key] of keys.entries()) {
        const both = [highs[0]?.[i] ?? 0, highs[1]?.[keys.length - 1 - i] ?? 0].sort();
        // Who came later to a key that was just being made, may have to ask again.
        expect(['0,1', '1,2'], key).toContain(both.join());
      }
    }
  });
});
