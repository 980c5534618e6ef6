import { setTimeout as pause } from 'node:timers/promises';
import { startFaultProxy, startPostgres, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject, onTestFinished } from 'vitest';
import { createSnowflakeGenerator, type SnowflakeEvent } from '../../src/index.js';
import { createContext } from '../support/subject.js';

faultTest('calls fail while the database is down, and are served when it is back', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.close());
  const slots = await createContext(server.url, 'id_slot', { slots: 4, layout: '41+6+6' });
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
  await injectFault(() => server.stop('immediate'));
  const codes: unknown[] = [];
  // Ids that run ahead are waited for, whether or not the database is up: that is a time limit, no failure.
  for (let call = 0; call < 30 && !codes.includes('ERR_IDS_UNAVAILABLE'); call++) {
    const batch = await generator.nextBatch(20_000).catch((error: { code: unknown }) => {
      codes.push(error.code);
      return [];
    });
    for (const id of batch) ids.push(id);
  }
  expect(codes.at(-1)).toBe('ERR_IDS_UNAVAILABLE');
  expect(generator.health()).toMatchObject({ status: 'down', lastError: { code: 'ERR_IDS_UNAVAILABLE' } });
  await injectFault(() => server.start());
  let id: number | undefined;
  while (id === undefined) id = await generator.next().catch(() => undefined);
  ids.push(id);
  expect(generator.health().status).toBe('ok');
  expect(generator.counters().refillFailures).toBeGreaterThan(0);
  expect(events.map(({ type }) => type)).toContain('window-failed');
  expect(new Set(ids).size).toBe(ids.length);
});

faultTest('a slot is kept by answers that take longer than callers wait', async () => {
  const { hostname: host, port } = new URL(inject('databaseUrl'));
  const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
  onTestFinished(() => proxy.close());
  const slots = await createContext(inject('databaseUrl'), uniqueName('slow'), { slots: 4 });
  const generator = await createSnowflakeGenerator({
    ...slots,
    database: proxy.url(slots.database),
    startup: 'at-once',
    // Enough to open it, and less than an answer takes then.
    deadlineMs: 700,
  });
  onTestFinished(() => generator.close());
  await generator.ready();
  await injectFault(() => proxy.delay(400));
  const tookMs = (): number => {
    const { refills, refillSeconds } = generator.counters();
    return (1_000 * refillSeconds) / refills;
  };
  const atFirst = generator.counters().refills;
  while (generator.counters().refills < atFirst + 3 && generator.counters().refillFailures < 3) {
    await pause(20);
  }
  expect(generator.counters()).toMatchObject({ refills: atFirst + 3, refillFailures: 0 });
  expect(tookMs()).toBeGreaterThan(500);
});
