import { setTimeout as pause } from 'node:timers/promises';
import { type FaultProxy, startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { createSnowflakeGenerator, type SnowflakeEvent } from '../../src/index.js';
import { createContext } from '../support/subject.js';

/** A database that goes away, and comes back. */
interface Outage {
  readonly database: string;
  /** What callers are told. */
  readonly code: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

async function startProxy(database: string): Promise<FaultProxy> {
  const { hostname: host, port } = new URL(database);
  const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
  onTestFinished(() => proxy.close());
  return proxy;
}

async function stopped({ start }: SqlDialect): Promise<Outage> {
  const server = await start();
  onTestFinished(() => server.close());
  return {
    database: server.url,
    code: 'ERR_IDS_UNAVAILABLE',
    begin: () => server.stop('immediate'),
    end: () => server.start(),
  };
}

async function unreachable({ shared }: SqlDialect): Promise<Outage> {
  const database = await shared();
  const proxy = await startProxy(database);
  return {
    database: proxy.url(database),
    code: 'ERR_IDS_UNAVAILABLE',
    begin: async () => {
      await proxy.setMode('refuse');
      proxy.cut();
    },
    end: () => proxy.setMode('pass'),
  };
}

async function hanging({ shared }: SqlDialect): Promise<Outage> {
  const database = await shared();
  const proxy = await startProxy(database);
  return {
    database: proxy.url(database),
    code: 'ERR_IDS_TIMEOUT',
    begin: () => proxy.setMode('blackhole'),
    end: () => proxy.setMode('pass'),
  };
}

async function survive({ database, code, begin, end }: Outage): Promise<void> {
  const slots = await createContext(database, uniqueName('outage'), { slots: 4, layout: '41+6+6' });
  const events: SnowflakeEvent[] = [];
  const generator = await createSnowflakeGenerator({
    ...slots,
    as: 'number',
    startup: 'at-once',
    deadlineMs: 700,
    onEvent: (event) => events.push(event),
  });
  onTestFinished(() => generator.close());
  const ids = await generator.nextBatch(1_000);
  await injectFault(begin);
  const failed = () => events.some(({ type }) => type === 'window-failed');
  // Ids that run ahead are waited for, whether or not the database is up: that is a time limit, no failure.
  for (let call = 0; call < 30 && !(failed() && generator.health().status === 'down'); call++) {
    for (const id of await generator.nextBatch(20_000).catch(() => [])) ids.push(id);
  }
  expect(generator.health()).toMatchObject({ status: 'down', lastError: { code } });
  await expect(generator.next()).rejects.toMatchObject({ code });
  await injectFault(end);
  let id: number | undefined;
  while (id === undefined) id = await generator.next().catch(() => undefined);
  ids.push(id);
  expect(generator.health().status).toBe('ok');
  expect(generator.counters().refillFailures).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
}

describe.each(SQL_DIALECTS)('slots on $server', (kind) => {
  faultTest('calls fail while the database is down, and are served when it is back', async () =>
    survive(await stopped(kind)),
  );

  faultTest(
    'calls fail while connections are cut and refused, and are served once they are accepted',
    async () => survive(await unreachable(kind)),
  );

  faultTest('calls fail while nothing is answered, and are served once it is', async () =>
    survive(await hanging(kind)),
  );

  faultTest('a slot is kept by answers that take longer than callers wait', async () => {
    const database = await kind.shared();
    const proxy = await startProxy(database);
    const slots = await createContext(database, uniqueName('slow'), { slots: 4 });
    const generator = await createSnowflakeGenerator({
      ...slots,
      database: proxy.url(slots.database),
      startup: 'at-once',
      // Enough to open it, and less than an answer takes then.
      deadlineMs: 700,
    });
    onTestFinished(() => generator.close());
    await generator.ready();
    // A window takes one round trip on Postgres, and two on MariaDB.
    await injectFault(() => proxy.delay(kind.dialect === 'mysql' ? 200 : 400));
    const tookMs = (): number => {
      const { refills, refillSeconds } = generator.counters();
      return (1_000 * refillSeconds) / refills;
    };
    // A claim may have failed before, on a busy machine: it has no more time than callers.
    const { refills, refillFailures } = generator.counters();
    const counted = (): readonly [windows: number, failures: number] => {
      const now = generator.counters();
      return [now.refills - refills, now.refillFailures - refillFailures];
    };
    while (counted()[0] < 3 && counted()[1] < 3) await pause(20);
    expect(counted()).toEqual([3, 0]);
    expect(tookMs()).toBeGreaterThan(500);
  });
});
