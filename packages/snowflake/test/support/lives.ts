import { setTimeout as pause } from 'node:timers/promises';
import { countDistinct, Runs } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import type { FileDialect, SqlDialect } from '@ids/local-services/dialects';
import { injectFault } from '@ids/local-services/fault-test';
import { expect, onTestFinished } from 'vitest';
import { createSnowflakeGenerator } from '../../src/index.js';
import { mortalPool } from './mortal-pool.js';
import { Random } from './random.js';
import { createContext } from './subject.js';

export const SLOTS = 64;
/** Fewer than slots, as a service would plan it: a slot of a killed process is free only seconds later. */
const AT_ONCE = 16;
const FULL = process.env.IDS_FULL === '1';
export const LIVES = FULL ? 10_000 : 300;
/**
 * A slot that was given back is free when its window is over, up to three seconds later, and that of a killed
 * process after five. So 64 slots have about 20 lives a second, whatever the machine.
 */
export const LIMIT_MS = FULL ? 3_600_000 : undefined;
const SEED = 20_260_101;

/** Lives of processes on one table, many at a time; a third of them is killed. */
export async function live({ shared, openPool }: SqlDialect | FileDialect): Promise<void> {
  const database = await shared();
  const { table, name } = await createContext(database, uniqueName('lives'), { layout: '41+6+6' });
  const pool = openPool(database);
  onTestFinished(() => ('end' in pool ? pool.end() : undefined));
  const random = new Random(SEED);
  // Each life as the ranges that its ids form: in full, they are more than a Set holds.
  const lives: number[][] = [];
  let issued = 0;
  const slots = new Set<number>();
  let [left, killed] = [LIVES, 0];
  const liveOnce = async (): Promise<void> => {
    const own = mortalPool(pool);
    const ids = new Runs();
    lives.push(ids.bounds);
    const generator = await createSnowflakeGenerator({
      name,
      table,
      database: own,
      as: 'number',
      startup: random.chance(0.2) ? 'wait' : 'at-once',
      deadlineMs: 30_000,
      onEvent: (event) => event.type === 'claim' && slots.add(event.slot),
    });
    const take = (batch: readonly number[]): void => {
      ids.add(batch);
      issued += batch.length;
    };
    for (let calls = 1 + random.below(4); calls > 0; calls--) {
      take(await generator.nextBatch(1 + random.below(200)));
      if (random.chance(0.3)) await pause(random.below(300));
    }
    // Sometimes far more than the clock allows: a successor must begin above what it ran ahead.
    if (random.chance(0.1)) take(await generator.nextBatch(64_000));
    if (random.chance(0.33)) {
      await injectFault(() => {
        own.kill();
        killed += 1;
      });
    }
    await generator.close();
  };
  const thread = async (): Promise<void> => {
    while (left-- > 0) await liveOnce();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, thread));
  if (FULL) console.log(`${LIVES} lives, ${killed} of them killed, ${issued} ids`);
  expect(killed).toBeGreaterThan(LIVES / 6);
  expect(countDistinct(lives)).toBe(issued);
  expect(issued).toBeGreaterThan(100 * LIVES);
  expect(slots.size).toBeGreaterThan(SLOTS / 2);
  // No slot is lost for good: as many generators as there are slots can be open again.
  const open = () =>
    createSnowflakeGenerator({
      name,
      table,
      database: pool,
      as: 'number',
      startup: 'at-once',
      deadlineMs: 30_000,
    });
  const all: Awaited<ReturnType<typeof open>>[] = [];
  while (all.length < SLOTS) all.push(...(await Promise.all(Array.from({ length: AT_ONCE }, open))));
  expect(new Set(await Promise.all(all.map((generator) => generator.next()))).size).toBe(SLOTS);
  await Promise.all(all.map((generator) => generator.close()));
}
