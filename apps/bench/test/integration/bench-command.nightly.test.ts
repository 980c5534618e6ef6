import { fileURLToPath } from 'node:url';
import { startPostgres, startRedis } from '@ids/local-services';
import { fromPgUrl } from '@ids/segment/sql';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BenchResult } from '../../src/schema/run.js';
import { REAL, RunningBench } from '../support/run-bench.js';

const OWN = fileURLToPath(new URL('../planted/own.mjs', import.meta.url));

describe('pnpm bench, with servers and a strategy of the user, at a rate', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let bench: RunningBench;
  let result: BenchResult;
  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
    const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url };
    const needs = ['--rate=2000', '--p99=1s', '--processes=2'];
    bench = await RunningBench.startWith(env, REAL, '--smoke', '--strategy', OWN, ...needs);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    result = await bench.result();
  });
  afterAll(() => Promise.all([bench[Symbol.asyncDispose](), redis.close(), postgres.close()]));

  it('measures all strategies from end to end, and writes both reports', async () => {
    expect(bench.stdout).toContain('Decision table');
    expect(result).toMatchObject({ schemaVersion: 6, incomplete: false, problems: [], processes: 2 });
    for (const one of result.cases) expect(one, one.reason).toMatchObject({ status: 'ok' });
    expect(result.cases[0]?.name).toBe('own-counter');
    expect(result.cases[0]?.sync?.ratios.map(({ control }) => control)).toEqual(['nanoid']);
    for (const { kind, uniqueness, order, sync, loops, slowdown, guarantees } of result.cases) {
      if (kind !== 'strategy') continue;
      expect(uniqueness?.duplicates).toBe(0);
      expect(order?.brokenClaims).toEqual([]);
      expect(slowdown?.later).toBeDefined();
      expect(sync !== undefined).toBe(guarantees?.sync);
      expect(loops !== undefined).toBe(guarantees?.backends.length !== 0);
    }
    expect(await bench.page()).toContain('segment-redis-db');
    expect(await bench.leftovers()).toEqual([]);
  });

  it('shows how each does at that rate, and recommends nothing after a smoke run', async () => {
    const { cases, advice } = result;
    for (const { name, atRate } of cases.filter(({ kind }) => kind === 'strategy')) {
      // 250 ms are enough for five blocks of a hundred calls in each of the two processes.
      expect(atRate, name).toMatchObject({ rate: 2_000, processes: 2, calls: 1_000, errors: 0 });
      expect(atRate?.baseline, name).toMatchObject({ calls: 1_000, errors: 0 });
    }
    // What people already use is asked too, other controls are not.
    const asked = cases.filter((one) => one.kind === 'control' && one.atRate !== undefined);
    const inUse = cases.filter(({ usual }) => usual);
    expect(inUse.map(({ name }) => name)).toContain('postgres nextval');
    expect(asked).toEqual(inUse);
    expect(advice).toMatchObject({
      needs: { rate: 2_000, p99Ms: 1_000 },
      withheld: 'a smoke run only checks that everything runs',
    });
    expect(advice).not.toHaveProperty('choice');
    await using again = await RunningBench.start(REAL, 'report', bench.path('result.json'));
    expect(await again.exitCode(), again.stderr).toBe(0);
    expect(again.stdout).toContain('No recommendation: a smoke run');
    expect(again.stdout.replace(/\s+/g, ' ')).toContain('At 2 k ids/s in each of 2 processes');
    expect(await again.page()).toBe(await bench.page());
    const page = await bench.page();
    expect(page).toContain('At your rate');
    expect(page).toContain('ids that cost nothing');
  });

  it("leaves nothing in servers that are the user's", async () => {
    expect(result.environment.byUrl).toEqual(['redis', 'sql']);
    const client = new Redis(redis.url);
    expect(await client.dbsize()).toBe(0);
    // The run was there: Redis counts its scripts.
    expect(await client.info('commandstats')).toContain('cmdstat_evalsha');
    await client.quit();
    const executor = await fromPgUrl(postgres.url);
    const { rows } = await executor.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ids%'", []);
    await executor.close();
    expect(rows).toEqual([]);
  });
});

describe.concurrent('pnpm bench', () => {
  it('refuses a server of the user that does not answer, without its password, before it measures', async () => {
    const env = { REDIS_URL: 'redis://:secret@127.0.0.1:1' };
    await using bench = await RunningBench.startWith(env, REAL, '--smoke', '--only', 'segment-redis-db');
    expect(await bench.exitCode(), bench.stderr).toBe(2);
    expect(bench.stderr).toContain('bench: REDIS_URL: no Redis answers at 127.0.0.1:1');
    expect(bench.stderr).not.toContain('secret');
    expect(bench.stdout).toBe('');
    expect(await bench.leftovers()).toEqual([]);
  });

  it.each([
    ['--onyl=objectid', 'unknown option "--onyl" (did you mean "--only"?'],
    ['--only=objectidd', 'unknown strategy "objectidd" (did you mean "objectid"?'],
  ])('refuses %s with exit code 2 before it starts anything', async (argument, message) => {
    await using bench = await RunningBench.start(REAL, argument);
    expect(await bench.exitCode()).toBe(2);
    expect(bench.stderr).toContain(message);
    expect(bench.stdout).toBe('');
  });

  it('explains its options', async () => {
    await using bench = await RunningBench.start(REAL, '--help');
    expect(await bench.exitCode()).toBe(0);
    expect(bench.stdout).toContain('--processes <n>');
  });
});
