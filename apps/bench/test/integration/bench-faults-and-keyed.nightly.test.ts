import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REAL, RunningBench } from '../support/run-bench.js';

const OWN = fileURLToPath(new URL('../planted/own.mjs', import.meta.url));

// Most of the time is that of servers that are away.
describe.concurrent('pnpm bench', () => {
  it('lets Redis go back, fail over and the database stop, and finds no id twice', async () => {
    await using bench = await RunningBench.start(REAL, 'faults', '--smoke', '--only', 'segment-redis-db');
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    const { faults = [], problems } = await bench.result();
    expect(problems).toEqual([]);
    expect(faults).toHaveLength(5);
    for (const { fault, skipped, ids, duplicates, lost } of faults) {
      expect({ skipped, duplicates }, fault).toEqual({ skipped: undefined, duplicates: 0 });
      expect(ids, fault).toBeGreaterThan(100);
      expect(lost, fault).toBeGreaterThanOrEqual(0);
    }
    expect(await bench.leftovers()).toEqual([]);
  });

  it('kills processes of a strategy of the user', async () => {
    const own = ['--strategy', OWN, '--only', 'own-counter'];
    await using bench = await RunningBench.start(REAL, 'faults', '--smoke', ...own);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    const { faults = [], problems } = await bench.result();
    expect(problems).toEqual([]);
    expect(faults.map(({ strategy, duplicates }) => ({ strategy, duplicates }))).toEqual([
      { strategy: 'own-counter', duplicates: 0 },
      { strategy: 'own-counter', duplicates: 0 },
    ]);
    for (const { ids, fault } of faults) expect(ids, fault).toBeGreaterThan(100);
  });

  it('numbers by key, as the strategies do and as people write it', async () => {
    await using bench = await RunningBench.start(REAL, 'keyed', '--smoke');
    expect(await bench.exitCode(), bench.stdout).toBe(0);
    const { cases, problems } = await bench.result();
    expect(problems).toEqual([]);
    expect(cases.map(({ name }) => name)).toContain('upsert per call');
    for (const { name, loops } of cases) expect(loops, name).toHaveLength(4);
    const newKeys = (name: string) => cases.find((one) => one.name === name)?.loops?.[2]?.firstUses;
    expect(newKeys('upsert per call')).toBeGreaterThan(0.9);
    expect(newKeys('segment-inproc')).toBeGreaterThan(0.9);
    expect(newKeys('segment-redis-db with keys in use')).toBe(0);
    expect(newKeys('upsert per call with one key')).toBe(0);
    const comparedWith = (name: string) =>
      cases.find((one) => one.name === name)?.loops?.[2]?.ratios.map(({ control }) => control);
    expect(comparedWith('segment-inproc')).toEqual(['upsert per call', 'SELECT FOR UPDATE']);
    expect(comparedWith('segment-redis-db with one key')).toEqual([
      'redis INCR per key with one key',
      'upsert per call with one key',
    ]);
    expect(comparedWith('segment-redis-db with keys in use')).toEqual([
      'redis INCR per key',
      'upsert per call',
    ]);
    expect(bench.stdout).toContain('Numbers by key');
    expect(await bench.leftovers()).toEqual([]);
  });
});
