import { startProcesses } from '@ids/conformance';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { expect } from 'vitest';
import { layoutOf, parseSnowflake, type SnowflakeOptions } from '../../src/index.js';
import { WORKER_AHEAD_MS } from '../../src/worker/worker-time.js';

const module = new URL('../support/subject.ts', import.meta.url);
/** The first one has none before it. */
const LIVES = 3;

type Context = SnowflakeOptions & { readonly layout: '41+6+6' | '31s+8+14' };

/**
 * Processes with one worker, each killed when it has issued some ids, and followed at once. Whoever follows
 * begins above all that it could have stamped, also where it takes so long to start that it would anyway.
 */
async function live(context: Context, batch: number): Promise<number[]> {
  const ids: number[] = [];
  for (let life = 0; life < LIVES; life++) {
    const startedAt = Date.now();
    await using run = await startProcesses({
      module,
      context,
      processes: 1,
      callers: 1,
      batch,
      tolerateErrors: true,
    });
    await run.issued(5 * batch);
    const killed = await injectFault(async () => {
      run.kill(1, 'SIGKILL');
      return true;
    });
    // Nothing else ends it.
    expect(killed).toBe(true);
    const { records } = await run.history;
    const own = records.flatMap((record) => record.ids.map(Number));
    // In order: there is one caller.
    const [first = 0] = own;
    const { ms } = parseSnowflake(first, layoutOf(context.layout));
    expect(ms - startedAt).toBeGreaterThanOrEqual(WORKER_AHEAD_MS);
    for (const id of own) ids.push(id);
  }
  return ids;
}

faultTest(
  'a fixed worker that is killed and started again repeats nothing, in bursts and in seconds',
  async () => {
    const issued = await Promise.all([
      live({ worker: 5, as: 'number', layout: '41+6+6', deadlineMs: 30_000 }, 2_000),
      live({ worker: 5, as: 'number', layout: '31s+8+14', deadlineMs: 30_000 }, 3),
    ]);
    for (const ids of issued) {
      expect(ids.length).toBeGreaterThanOrEqual(5 * LIVES * 3);
      expect(new Set(ids).size).toBe(ids.length);
    }
  },
);
