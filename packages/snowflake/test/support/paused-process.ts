import { setTimeout as pause } from 'node:timers/promises';
import { startProcesses } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { type FileDialect, isFileLocked, type SqlDialect } from '@ids/local-services/dialects';
import { felt, injectFault } from '@ids/local-services/fault-test';
import { expect } from 'vitest';
import { createSnowflakeGenerator } from '../../src/index.js';
import { createContext } from './subject.js';

const module = new URL('./subject.ts', import.meta.url);

/** Pauses a process for longer than its window, and lets it go on beside the one that got its slot. */
export async function outlivePaused(kind: SqlDialect | FileDialect): Promise<void> {
  const slots = {
    ...(await createContext(await kind.shared(), uniqueName('paused'), { slots: 1 })),
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
  await injectFault(async () => {
    run.kill(1, 'SIGSTOP');
    // In the middle of a statement, it keeps everybody from writing to a file until it goes on.
    while (kind.dialect === 'sqlite' && isFileLocked(slots.database)) {
      run.kill(1, 'SIGCONT');
      await pause(5);
      run.kill(1, 'SIGSTOP');
    }
  });
  // There is one slot, so this waits until the time of the paused process is over.
  const opened = createSnowflakeGenerator({ ...slots, deadlineMs: 15_000 }).catch((error: unknown) => error);
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
  expect(ids.length).toBeGreaterThanOrEqual(40_200);
  expect(new Set(ids).size).toBe(ids.length);
}
