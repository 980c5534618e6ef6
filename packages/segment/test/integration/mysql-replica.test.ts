import { startMariadb } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import mysql from 'mysql2/promise';
import { expect, onTestFinished } from 'vitest';
import {
  createSequence,
  ensureSchema,
  fromMysql,
  type SqlExecutor,
  SqlSegmentSource,
} from '../../src/sql/index.js';

/** A primary and a replica that follows it by row events, each with a pool. */
async function startReplication() {
  const open = async (id: number) => {
    const server = await startMariadb({
      settings: { server_id: String(id), log_bin: 'bin', sync_binlog: '1' },
    });
    onTestFinished(() => server.close());
    const pool = mysql.createPool({ uri: server.url });
    onTestFinished(() => pool.end());
    return { server, pool, executor: fromMysql(pool) };
  };
  const [primary, replica] = await Promise.all([open(1), open(2)]);
  const { port, username, password } = new URL(primary.server.url);
  await replica.pool.query(
    `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${port}, MASTER_USER = '${username}',
      MASTER_PASSWORD = '${password}', MASTER_USE_GTID = slave_pos`,
  );
  await replica.pool.query('START SLAVE');
  const caughtUp = async (): Promise<void> => {
    const [[position]] = (await primary.pool.query('SELECT @@gtid_binlog_pos AS at')) as never as [
      [{ at: string }],
    ];
    await replica.pool.query('SELECT MASTER_GTID_WAIT(?, 60)', [position.at]);
  };
  return { primary, replica, caughtUp };
}

faultTest('a promoted replica that lacks commits is noticed by its first reservation', async () => {
  const { primary, replica, caughtUp } = await startReplication();
  await primary.pool.query('CREATE DATABASE app');
  const table = 'app.id_segment';
  await ensureSchema(primary.executor, { table, log: true });
  await createSequence(primary.executor, 'order', { table });
  const sourceOf = (executor: SqlExecutor) =>
    new SqlSegmentSource(executor, { table, log: true, afterFailover: 5_000, afterRestore: 5_000 });
  const before = sourceOf(primary.executor);
  await before.reserve('order', 10);
  await caughtUp();
  const after = sourceOf(replica.executor);
  await expect(after.describe('order')).rejects.toMatchObject({
    code: 'ERR_IDS_CONFIG',
    message: expect.stringContaining('replica'),
  });
  await injectFault(() => replica.pool.query('STOP SLAVE'));
  const { high } = await before.reserve('order', 90);
  await injectFault(() => replica.pool.query('RESET SLAVE ALL'));
  const described = await after.describe('order').catch((error: unknown) => error);
  expect(described).toMatchObject({
    warnings: expect.arrayContaining([expect.stringMatching(/promoted.*skips 5000 ids/)]),
  });
  const first = await after.reserve('order', 10);
  expect(first).toEqual({ low: 5_011, high: 5_020, newReign: { cause: 'failover', skipped: 5_000 } });
  expect(first.low).toBeGreaterThan(high);
  expect(await after.reserve('order', 10)).toEqual({ low: 5_021, high: 5_030 });
});
