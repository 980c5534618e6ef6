import { startProcesses } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS, type SqlDialect } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { openSession } from '../support/session.js';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);
/** Processes are killed together, `processes` of them in each round. */
const { rounds, processes } = process.env.IDS_FULL
  ? { rounds: 10, processes: 5 }
  : { rounds: 2, processes: 3 };

const title = `repeats no id when its processes are killed in the middle of a refill, ${rounds * processes} times`;

async function killInRefill(kind: SqlDialect): Promise<void> {
  const database = await kind.shared();
  const session = openSession(kind, database);
  const context = await createContext(database, uniqueName('killed'), 'number');
  const issued: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using run = await startProcesses({ module, context, processes, callers: 4 });
    await run.issued(processes * 200);
    const unlock = await injectFault(() => session.hold(kind.lockRows(context.table)));
    await felt(
      'refills that wait for the lock',
      async () => (await session.waiting(context.table)) >= processes,
      // More than the processes can hold.
      run.issued(processes * 4_000),
    );
    await injectFault(() => {
      for (let number = 1; number <= processes; number++) run.kill(number, 'SIGKILL');
    });
    const { records } = await run.stop();
    // Only now the server goes on: it commits reservations whose processes are dead.
    await unlock?.();
    while ((await session.waiting(context.table)) > 0);
    const ids = records.flatMap((record) => record.ids.map(Number));
    expect(Math.min(...ids)).toBeGreaterThan(Math.max(0, ...issued));
    issued.push(...ids);
  }
  expect(new Set(issued).size).toBe(issued.length);
  expect(issued.length).toBeGreaterThanOrEqual(rounds * processes * 200);
}

describe.each(SQL_DIALECTS)('segment-inproc on $server', (kind) => {
  faultTest(title, () => killInRefill(kind));
});
