import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { expect, onTestFinished, vi } from 'vitest';
import type { SnowflakeGenerator } from '../../src/index.js';
import { AHEAD_MS, CLAIM_ENDS_MS, WINDOW_MS } from '../../src/windows/lengths.js';
import { MARIADB, openMysqlSlots } from '../support/mysql-slots.js';
import { start } from '../support/process.js';

/** Between two renewals, which are made a second before a window ends. */
const RENEWED_MS = WINDOW_MS - AHEAD_MS + 100;

/** Everything that is in memory. */
function drain(generator: SnowflakeGenerator<number>): number[] {
  const ids: number[] = [];
  try {
    for (;;) ids.push(...generator.nextBatchSync(64));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_IDS_NOT_READY' });
    return ids;
  }
}

faultTest('nothing is issued of a window that a crash may take back', async () => {
  const server = await MARIADB.start();
  onTestFinished(() => server.close());
  const { database, url, table, setClock } = await openMysqlSlots({ slots: 1, layout: '41+6+6' }, server.url);
  const startedAt = Date.now();
  await setClock({ atMs: startedAt });
  const options = { name: 'order', database, table, startup: 'at-once' } as const;
  const survivor = await start(options);
  const { generator } = survivor;
  await generator.ready();
  const isRefused = () => generator.health().lastError?.code === 'ERR_IDS_CONFIG';
  // Until the claim alone does not keep the slot any more.
  let windows = 1;
  for (; windows * WINDOW_MS < CLAIM_ENDS_MS; windows++) {
    await setClock({ atMs: startedAt + (windows - 1) * WINDOW_MS + RENEWED_MS });
    await vi.waitUntil(() => generator.counters().refills > windows, 60_000);
  }
  await injectFault(async () => {
    const session = MARIADB.connect(url, 1);
    await session.query('SET GLOBAL innodb_flush_log_at_timeout = 2700');
    await session.query('SET GLOBAL innodb_flush_log_at_trx_commit = 0');
    await session.end();
  });
  await setClock({ atMs: startedAt + (windows - 1) * WINDOW_MS + RENEWED_MS });
  await vi.waitUntil(() => isRefused() || generator.counters().refills > windows, 60_000);
  expect(survivor.events).toContainEqual({
    type: 'window-failed',
    name: 'order',
    error: expect.objectContaining({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(/innodb_flush_log_at_trx_commit\b.*\b0\b/),
    }),
  });
  const ids = drain(generator);
  await injectFault(async () => {
    await server.stop('immediate');
    // It cannot give its slot back.
    await generator.close();
    await server.start();
  });
  // The row says that the slot is free.
  await setClock({ atMs: startedAt + windows * WINDOW_MS });
  const newcomer = await start(options);
  await newcomer.generator.ready();
  for (const id of drain(newcomer.generator)) ids.push(id);
  expect(new Set(ids).size).toBe(ids.length);
});
