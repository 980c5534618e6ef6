import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runSeed } from '../src/run-seed.js';

const SEEDS = [1, 2, 4, 4_294_967_296, Number.MAX_SAFE_INTEGER];
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('a seed', () => {
  it.each(SEEDS)('%d plays the same history twice, whatever ran before it', async (seed) => {
    const first = await runSeed(seed);
    await runSeed(seed + 1);
    const second = await runSeed(seed, { keepTrace: true });
    expect(second.hash).toBe(first.hash);
    expect(second.ids).toBe(first.ids);
    expect(second.trace.length).toBeGreaterThan(100);
  });

  it('plays the same history in a process of its own', async () => {
    const { hash } = await runSeed(2);
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--seed', '2']);
    expect(stdout).toContain(`history ${hash}, sound`);
  });

  /**
   * A change of the scripts, their clients or the faults gives seeds other histories:
   * `vitest -u` then takes those.
   */
  it('plays the same history on every version of Node.js and every machine', async () => {
    const histories: string[] = [];
    for (const seed of [1, 7, 20, 176]) {
      const { hash, ids, calls } = await runSeed(seed);
      histories.push(`${seed}: ${hash}, ${ids} ids, ${calls} calls`);
    }
    expect(histories).toMatchInlineSnapshot(`
      [
        "1: 7633a438b7a18fa6, 160 ids, 136 calls",
        "7: a7e25886126e7adc, 765 ids, 429 calls",
        "20: 8258a0e47be7fcf5, 318 ids, 287 calls",
        "176: 8e9b72622b89efc2, 189 ids, 220 calls",
      ]
    `);
  });

  it('has a history of its own', async () => {
    const hashes = new Set<string>();
    for (const seed of SEEDS) hashes.add((await runSeed(seed)).hash);
    expect(hashes.size).toBe(SEEDS.length);
  });

  it('leaves the clocks and timers of the platform as they were', async () => {
    const before = [setTimeout, setImmediate, performance.now, Date, Math.random, crypto.randomUUID];
    await runSeed(1);
    expect([setTimeout, setImmediate, performance.now, Date, Math.random, crypto.randomUUID]).toEqual(before);
  });
});
