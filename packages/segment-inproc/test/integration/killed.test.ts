import { startProcesses } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { expect, inject } from 'vitest';
import { lockRows, openPool, waitingFor } from '../support/locked-row.js';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);
const database = inject('databaseUrl');
/** Processes are killed together, `processes` of them in each round. */
const { rounds, processes } = process.env.IDS_FULL
  ? { rounds: 10, processes: 5 }
  : { rounds: 2, processes: 3 };

const title = `segment-inproc repeats no id when its processes are killed in the middle of a refill, ${rounds * processes} times`;

async function killInRefill(): Promise<void> {
  const pool = openPool();
  const context = await createContext(database, uniqueName('killed'), 'number');
  const issued: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using run = await startProcesses({ module, context, processes, callers: 4 });
    await run.issued(processes * 200);
    const unlock = await injectFault(() => lockRows(pool, context.table));
    await felt(
      'refills that wait for the lock',
      async () => (await waitingFor(pool, context.table)) >= processes,
      // More than the processes can hold.
      run.issued(processes * 4_000),
    );
    await injectFault(() => {
      for (let number = 1; number <= processes; number++) run.kill(number, 'SIGKILL');
    });
    const { records } = await run.stop();
    // Only now the server goes on: it commits reservations whose processes are dead.
    await unlock?.();
    while ((await waitingFor(pool, context.table)) > 0);
    const ids = records.flatMap((record) => record.ids.map(Number));
    expect(Math.min(...ids)).toBeGreaterThan(Math.max(0, ...issued));
    issued.push(...ids);
  }
  expect(new Set(issued).size).toBe(issued.length);
  expect(issued.length).toBeGreaterThanOrEqual(rounds * processes * 200);
}

faultTest(title, killInRefill);
