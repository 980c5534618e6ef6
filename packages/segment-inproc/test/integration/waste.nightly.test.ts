import { startFaultProxy, uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect, type SqlSession } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type { SegmentEvent } from '@ids/segment';
import { describe, expect, onTestFinished } from 'vitest';
import { createSegmentInprocGenerator, type SegmentInprocIdGenerator } from '../../src/index.js';
import { openSession } from '../support/session.js';
import { createContext } from '../support/subject.js';

const STEP = 1_000;

/** A generator in a process of its own would do the same: they share nothing but the table. */
interface Process {
  readonly generator: SegmentInprocIdGenerator<number>;
  /** How many attempts failed so far. */
  readonly failures: () => number;
}

async function startProcesses(
  shared: string,
  count: number,
  maxIdsLost: number | undefined,
  urlOf = (database: string) => database,
) {
  const { table, name, ...context } = await createContext(shared, uniqueName('waste'), 'number');
  const database = urlOf(context.database);
  const processes = await Promise.all(
    Array.from({ length: count }, async (): Promise<Process> => {
      let failures = 0;
      const onEvent = ({ type }: SegmentEvent): void => {
        if (type === 'refill-failed') failures++;
      };
      const steps = { minStep: STEP, maxStep: STEP, maxIdsLost };
      // Short attempts, so that many of them are given up: the first one after 500 ms, then
      // twice as long each time.
      const options = { database, table, name, ...steps, deadlineMs: 1_000, onEvent };
      return { generator: await createSegmentInprocGenerator(options), failures: () => failures };
    }),
  );
  return { table, processes };
}

/** How many ids were reserved and are neither given nor thrown away nor held. */
async function lost(session: SqlSession, table: string, processes: readonly Process[]): Promise<number> {
  const reserved = Number((await session.query(`SELECT max_id FROM ${table}`))[0]?.max_id);
  const known = processes.map(({ generator }) => {
    const { idsIssued, idsDiscarded } = generator.counters();
    return idsIssued + idsDiscarded + (generator.health().remaining ?? 0);
  });
  return reserved - known.reduce((sum, ids) => sum + ids, 0);
}

/** Asks until an id is here, however many calls are given up before. */
async function nextAtLast({ next }: { readonly next: () => Promise<number> }): Promise<void> {
  while (!(await next().then(Boolean, () => false)));
}

const CASES = [
  [1, undefined],
  [1, 1_500],
  [4, undefined],
  [4, 1_500],
] as const;

describe.each(SQL_DIALECTS)('segment-inproc on $server', (kind: SqlDialect) => {
  for (const [count, maxIdsLost] of CASES) {
    faultTest(
      `loses no segment while its row is locked through 4 attempts of ${count} processes, with maxIdsLost ${maxIdsLost}`,
      async () => {
        const database = await kind.shared();
        const session = openSession(kind, database);
        const { table, processes } = await startProcesses(database, count, maxIdsLost);
        const callers = processes.map(({ generator }) => ({ next: () => generator.next() }));
        for (const caller of callers) await nextAtLast(caller);
        const unlock = await injectFault(() => session.hold(kind.lockRows(table)));
        // All that is in memory is given, so that ids are missing.
        await injectFault(async () => {
          for (const { generator } of processes) await generator.nextBatch(generator.health().remaining ?? 0);
        });
        await injectFault(async () => {
          for (const [i, { failures }] of processes.entries()) {
            while (failures() < 4) await callers[i]?.next().catch(() => {});
          }
        });
        for (const { failures } of processes) expect(failures()).toBeGreaterThanOrEqual(4);
        await unlock?.();
        await Promise.all(callers.map(nextAtLast));
        // A fetch that is on its way arrives in the end; what is lost never does.
        await expect.poll(() => lost(session, table, processes), { timeout: 20_000 }).toBe(0);
        for (const { generator } of processes) await generator.close();
      },
      120_000,
    );
  }

  faultTest(
    'loses a segment for an answer that is lost, and none for attempts that never reach the database',
    async () => {
      const database = await kind.shared();
      const session = openSession(kind, database);
      const { hostname: host, port } = new URL(database);
      const proxy = await startFaultProxy({ target: { host, port: Number(port) } });
      onTestFinished(() => proxy.close());
      const { table, processes } = await startProcesses(database, 1, undefined, (url) => proxy.url(url));
      const [{ generator, failures }] = processes as [Process];
      const caller = { next: () => generator.next() };
      await nextAtLast(caller);
      await expect.poll(() => lost(session, table, processes), { timeout: 20_000 }).toBe(0);
      await injectFault(() => proxy.setMode('swallow-replies'));
      await injectFault(async () => {
        await generator.nextBatch(generator.health().remaining ?? 0);
        while (failures() < 3) await caller.next().catch(() => {});
      });
      await proxy.setMode('pass');
      await nextAtLast(caller);
      // At most two connections were open when answers began to be lost, and no attempt sends
      // anything before it has one.
      await expect
        .poll(() => lost(session, table, processes), { timeout: 20_000 })
        .toBeLessThanOrEqual(2 * STEP);
      expect(await lost(session, table, processes)).toBeGreaterThanOrEqual(STEP);
      expect(failures()).toBeGreaterThanOrEqual(3);
      await generator.close();
    },
    120_000,
  );
});
