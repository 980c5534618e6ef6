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

  it('fills a table for each way to store ids, and says what that costs the index', async () => {
    await using bench = await RunningBench.start(REAL, 'index', '--smoke', '--only', 'objectid,uuid7,gpid');
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    const { indexCosts } = await bench.result();
    const of = (name: string) => indexCosts?.costs.find((cost) => cost.name === name);
    expect(indexCosts?.costs.map(({ name }) => name)).toEqual([
      'bigserial',
      'UUIDv7',
      'UUIDv4',
      'objectid as bytea',
      'objectid as char(24)',
      'uuid7 as uuid',
      'gpid as text',
    ]);
    expect(of('UUIDv4')?.rows).toBe(4_000);
    // Random keys leave their pages less full than rising ones, and texts take more room than bytes.
    expect(of('UUIDv4')?.indexBytesPerRow).toBeGreaterThan(of('bigserial')?.indexBytesPerRow ?? 1e9);
    expect(of('objectid as char(24)')?.indexBytesPerRow).toBeGreaterThan(
      of('objectid as bytea')?.indexBytesPerRow ?? 1e9,
    );
    expect(await bench.page()).toContain('shared_buffers = 1MB');
  });
});
