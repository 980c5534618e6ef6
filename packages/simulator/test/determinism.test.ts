import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runSeed } from '../src/run-seed.js';
import { planOf } from '../src/world/draw-plan.js';

/** The first one in which processes reserve over HTTP. */
const overHttp = [...Array(1_000).keys()].find((seed) => planOf(seed).http !== undefined) ?? -1;
const SEEDS = [1, 2, 4, overHttp, 4_294_967_296, Number.MAX_SAFE_INTEGER];
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
    expect(stdout).toContain(`history ${hash}, `);
  });

  it('has a history of its own', async () => {
    const hashes = new Set<string>();
    for (const seed of SEEDS) hashes.add((await runSeed(seed, { runMs: 300 })).hash);
    expect(hashes.size).toBe(SEEDS.length);
  });

  it('leaves the clocks and timers of the platform as they were', async () => {
    const before = [setTimeout, setImmediate, performance.now, Date, Math.random, crypto.randomUUID];
    await runSeed(1);
    expect([setTimeout, setImmediate, performance.now, Date, Math.random, crypto.randomUUID]).toEqual(before);
  });
});
