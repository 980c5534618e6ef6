import { startProcesses } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, felt, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, onTestFinished } from 'vitest';
import { layoutOf, parseSnowflake } from '../../src/index.js';
import { outlivePaused } from '../support/paused-process.js';
import { createContext } from '../support/subject.js';

const module = new URL('../support/subject.ts', import.meta.url);
const LAYOUT = layoutOf('41+10+12');

describe.each(SQL_DIALECTS)('slots on $server', (kind) => {
  faultTest('a process that is paused for longer than its window repeats nothing of who got its slot', () =>
    outlivePaused(kind),
  );

  faultTest('processes that are killed in the middle of a grant leave nothing that is repeated', async () => {
    const database = await kind.shared();
    const session = kind.connect(database);
    onTestFinished(() => session.end());
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
      let locked = await injectFault(() => session.hold(kind.lockRows(slots.table)));
      const unlock = async (): Promise<void> => {
        const held = locked;
        locked = undefined;
        await held?.();
      };
      onTestFinished(unlock);
      const grants = async () => (await session.waiting(slots.table)) >= 3;
      // More than six callers get of what was granted: at most one ID per millisecond each, for 3 s.
      await felt('grants that wait for the lock', grants, run.issued(20_000));
      await injectFault(() => {
        for (let number = 1; number <= 3; number++) run.kill(number, 'SIGKILL');
      });
      const { records } = await run.stop();
      // Only now the server goes on: it grants windows to processes that are dead.
      await unlock();
      while ((await session.waiting(slots.table)) > 0);
      const ids = records.flatMap((record) => record.ids.map(BigInt));
      // Those of the second round have the slots of the processes that were killed.
      expect(new Set(ids.map((id) => parseSnowflake(id, LAYOUT).slot))).toEqual(new Set([0, 1, 2]));
      issued.push(...ids);
    }
    expect(new Set(issued).size).toBe(issued.length);
    expect(issued.length).toBeGreaterThanOrEqual(1_200);
  });
});
