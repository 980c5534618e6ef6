import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { createSequence, SqlSegmentSource } from '../../src/sql/index.js';
import { CLIENTS, type TestDialect } from './dialects.js';

const GIVEN_UP = { code: 'ERR_IDS_TIMEOUT', retryable: true };

/** What differs: a lock of the whole table, and a row of another reign. */
const SQL = {
  postgres: {
    rows: 'SELECT FROM %t FOR UPDATE',
    table: 'LOCK TABLE %t IN ACCESS EXCLUSIVE MODE',
    otherReign: `UPDATE %t SET timeline = '00000000'`,
  },
  mysql: {
    rows: 'SELECT 1 FROM %t FOR UPDATE',
    table: 'LOCK TABLES %t WRITE',
    otherReign: `UPDATE %t SET reign_server = 'former'`,
  },
} as const;

async function openSequence({ open }: TestDialect, log: boolean) {
  const database = await open({ log });
  const { executor, table } = database;
  await createSequence(executor, 'order', { table });
  // With a connection for each of those that wait.
  const all = new SqlSegmentSource(await database.another(20), { table, log });
  await all.describe('order');
  const source = {
    describe: (name: string) => all.describe(name),
    // A test that fails leaves reservations behind, which end with the pool.
    reserve: (...given: Parameters<typeof all.reserve>) => {
      const reserving = all.reserve(...given);
      reserving.catch(() => {});
      return reserving;
    },
  };
  const maxId = async (): Promise<number> => (await source.describe('order')).maxId;
  return { ...database, source, maxId };
}

const CASES = CLIENTS.flatMap((kind) => [false, true].map((log) => ({ ...kind, kind, log })));

describe.each(CASES)(
  'a reservation with a time limit on $server, with a grant log: $log,',
  ({ kind, log }) => {
    const sql = SQL[kind.dialect];
    /** MariaDB ends the statement while it waits; the others look at the time when they have the lock. */
    const pastLimit = async (
      untilWaiting: (ms: number) => Promise<void>,
      late: Promise<void>,
    ): Promise<void> => {
      await injectFault(() =>
        kind.dialect === 'mysql' ? Promise.race([late, untilWaiting(2_000)]) : untilWaiting(900),
      );
    };

    faultTest('is given up by the server while the row is locked, and is not made later', async () => {
      const { hold, source, maxId } = await openSequence(kind, log);
      const unlock = await injectFault(() => hold(sql.rows));
      const waiting = [300, 600, 900].map((timeoutMs) => source.reserve('order', 10, { timeoutMs }));
      for (const each of waiting) await expect(each).rejects.toMatchObject(GIVEN_UP);
      const healing = source.reserve('order', 10, { timeoutMs: 300, floor: 50 });
      await expect(healing).rejects.toMatchObject(GIVEN_UP);
      await unlock?.();
      expect(await maxId()).toBe(0);
      expect(await source.reserve('order', 10, { timeoutMs: 60_000 })).toMatchObject({ low: 1, high: 10 });
    });

    faultTest('is not made when the whole table was locked for longer', async () => {
      const { hold, untilWaiting, source, maxId } = await openSequence(kind, log);
      const unlock = await injectFault(() => hold(sql.table));
      const waiting = source.reserve('order', 10, { timeoutMs: 900 });
      const late = expect(waiting).rejects.toMatchObject(GIVEN_UP);
      await pastLimit(untilWaiting, late);
      await unlock?.();
      await late;
      expect(await maxId()).toBe(0);
    });

    faultTest('is told so, and not to set a floor, when the table has another history as well', async () => {
      const { run, hold, untilWaiting, source } = await openSequence(kind, log);
      await source.reserve('order', 10);
      await run(sql.otherReign);
      const unlock = await injectFault(() => hold(sql.table));
      const waiting = source.reserve('order', 10, { timeoutMs: 900 });
      const late = expect(waiting).rejects.toMatchObject(GIVEN_UP);
      await pastLimit(untilWaiting, late);
      await unlock?.();
      await late;
      const next = await source.reserve('order', 10);
      expect(next.newReign?.cause).toBe('failover');
    });

    faultTest(
      'is not made later either when the row was changed meanwhile, however many wait for it',
      async () => {
        const { hold, source, maxId } = await openSequence(kind, log);
        const unlock = await injectFault(() => hold('UPDATE %t SET max_id = max_id + 1'));
        const waiting = Array.from({ length: 10 }, () => source.reserve('order', 10, { timeoutMs: 600 }));
        for (const result of await Promise.allSettled(waiting)) {
          expect(result).toMatchObject({ status: 'rejected', reason: GIVEN_UP });
        }
        await unlock?.();
        expect(await maxId()).toBe(1);
      },
    );

    faultTest('waits without a limit when there is none', async () => {
      const { hold, untilWaiting, source, maxId } = await openSequence(kind, log);
      const unlock = await injectFault(() => hold(sql.rows));
      let made = false;
      const waiting = source.reserve('order', 10).then(() => {
        made = true;
      });
      waiting.catch(() => {});
      await injectFault(() => untilWaiting());
      // Nobody else was let in, so it still waits.
      expect({ made, waits: unlock !== undefined }).toEqual({ made: false, waits: true });
      await unlock?.();
      await waiting;
      expect(await maxId()).toBe(10);
    });
  },
);
