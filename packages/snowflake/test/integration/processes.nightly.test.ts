import { startProcesses } from '@ids/conformance';
import { openPostgresPool, uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import type pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import { createSnowflakeGenerator } from '../../src/index.js';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);
const database = inject('databaseUrl');

function openPool(): pg.Pool {
  const pool = openPostgresPool(database, { max: 3 });
  onTestFinished(() => pool.end());
  return pool;
}

faultTest(
  'a process that is paused for longer than its window repeats nothing of who got its slot',
  async () => {
    const slots = {
      ...(await createContext(database, uniqueName('paused'), { slots: 1 })),
      startup: 'at-once',
    } as const;
    const context = { ...slots, deadlineMs: 5_000 };
    await using run = await startProcesses({
      module,
      context,
      processes: 1,
      callers: 2,
      tolerateErrors: true,
      pauseMs: 1,
    });
    await run.issued(200);
    await injectFault(() => run.kill(1, 'SIGSTOP'));
    // There is one slot, so this waits until the time of the paused process is over.
    const opened = createSnowflakeGenerator({ ...slots, deadlineMs: 15_000 }).catch(
      (error: unknown) => error,
    );
    const successor = await opened;
    expect(successor, 'the slot of the paused process').not.toBeInstanceOf(Error);
    await using generator = successor as Awaited<ReturnType<typeof createSnowflakeGenerator>>;
    const ids = await generator.nextBatch(20_000);
    const first = BigInt(ids[0] ?? 0);
    await injectFault(() => run.kill(1, 'SIGCONT'));
    await felt('calls of the process that was paused fail', () => run.noted('lapse') > 0, run.history);
    ids.push(...(await generator.nextBatch(20_000)));
    const { records } = await run.stop();
    const former = records.flatMap((record) => record.ids.map(BigInt));
    // Its time was over, and ids of one slot are in the order of their time. An id that it stamped later
    // would seldom be one of the successor's, and could be.
    expect(former.filter((id) => id >= first)).toEqual([]);
    ids.push(...former);
    expect(ids.length).toBeGreaterThan(40_200);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

/** How many statements on `table` wait for a lock. */
async function waitingFor(pool: pg.Pool, table: string): Promise<number> {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position($1 IN query) > 0`;
  return (await pool.query(waiting, [table])).rowCount ?? 0;
}

faultTest('processes that are killed in the middle of a grant leave nothing that is repeated', async () => {
  const pool = openPool();
  const slots = await createContext(database, uniqueName('killed'), { slots: 3 });
  const context = { ...slots, startup: 'at-once' };
  const issued: bigint[] = [];
  for (let round = 0; round < 2; round++) {
    await using run = await startProcesses({
      module,
      context: { ...context, deadlineMs: 15_000 },
      processes: 3,
      callers: 2,
      pauseMs: 1,
    });
    await run.issued(600);
    const locker = await pool.connect();
    let locking = true;
    const unlock = async (): Promise<void> => {
      if (!locking) return;
      locking = false;
      await locker.query('ROLLBACK');
      locker.release();
    };
    onTestFinished(unlock);
    await injectFault(async () => {
      await locker.query('BEGIN');
      await locker.query(`SELECT FROM ${slots.table} FOR UPDATE`);
    });
    const grants = async () => (await waitingFor(pool, slots.table)) >= 3;
    await felt('grants that wait for the lock', grants, run.issued(6_000));
    await injectFault(() => {
      for (let number = 1; number <= 3; number++) run.kill(number, 'SIGKILL');
    });
    const { records } = await run.stop();
    // Only now the server goes on: it grants windows to processes that are dead.
    await unlock();
    while ((await waitingFor(pool, slots.table)) > 0);
    issued.push(...records.flatMap((record) => record.ids.map(BigInt)));
  }
  expect(new Set(issued).size).toBe(issued.length);
  expect(issued.length).toBeGreaterThanOrEqual(1_200);
});
