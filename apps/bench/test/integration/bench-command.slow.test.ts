import { fileURLToPath } from 'node:url';
import { startPostgres, startRedis } from '@ids/local-services';
import { fromPgUrl } from '@ids/segment/sql';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { REAL, RunningBench } from '../support/run-bench.js';

const OWN = fileURLToPath(new URL('../planted/own.mjs', import.meta.url));

describe('pnpm bench', () => {
  it('measures real strategies and one of the user from end to end, and writes both reports', async () => {
    await using bench = await RunningBench.start(REAL, '--smoke', '--json', '--strategy', OWN);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    const result = await bench.result();
    expect(JSON.parse(bench.stdout)).toEqual(result);
    expect(result).toMatchObject({ schemaVersion: 1, incomplete: false, problems: [], processes: 4 });
    for (const one of result.cases) expect(one, one.reason).toMatchObject({ status: 'ok' });
    expect(result.cases[0]).toMatchObject({ name: 'own-counter', comparedWith: ['nanoid'] });
    for (const { kind, uniqueness, order, sync, loops, guarantees } of result.cases) {
      if (kind !== 'strategy') continue;
      expect(uniqueness?.duplicates).toBe(0);
      expect(order?.brokenClaims).toEqual([]);
      expect(sync !== undefined).toBe(guarantees?.sync);
      expect(loops !== undefined).toBe(guarantees?.backends.length !== 0);
    }
    expect(await bench.page()).toContain('segment-redis-db');
    expect(await bench.leftovers()).toEqual([]);
  });

  it('refuses a server of the user that does not answer, without its password, before it measures', async () => {
    const env = { REDIS_URL: 'redis://:secret@127.0.0.1:1' };
    await using bench = await RunningBench.startWith(env, REAL, '--smoke', '--only', 'segment-redis-db');
    expect(await bench.exitCode(), bench.stderr).toBe(2);
    expect(bench.stderr).toContain('bench: REDIS_URL: no Redis answers at 127.0.0.1:1');
    expect(bench.stderr).not.toContain('secret');
    expect(bench.stdout).toBe('');
    expect(await bench.leftovers()).toEqual([]);
  });

  it('shows how a strategy does at the rate that is needed, and recommends nothing after a smoke run', async () => {
    const needs = ['--only', 'segment-inproc', '--rate=2000', '--p99=1s', '--processes=2'];
    await using bench = await RunningBench.start(REAL, '--smoke', ...needs);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    const { cases, advice } = await bench.result();
    const [{ atRate } = {}] = cases;
    // Five blocks of a hundred calls in each of the two.
    expect(atRate).toMatchObject({ rate: 2_000, processes: 2, calls: 1_000, errors: 0 });
    expect(atRate?.floor).toMatchObject({ calls: 1_000, errors: 0 });
    // What people already use is asked too, other controls are not.
    const asked = cases.filter((one) => one.kind === 'control' && one.atRate !== undefined);
    const inUse = cases.filter(({ alternative }) => alternative !== undefined);
    expect(inUse.map(({ name }) => name)).toContain('postgres nextval');
    expect(asked).toEqual(inUse);
    expect(advice).toMatchObject([
      { needs: { rate: 2_000, p99Ms: 1_000 }, withheld: 'a smoke run only checks that everything runs' },
    ]);
    expect(advice[0]).not.toHaveProperty('choice');
    expect(bench.stdout).toContain('No recommendation: a smoke run');
    expect(bench.stdout.replace(/\s+/g, ' ')).toContain('at 2 k ids/s');
    const page = await bench.page();
    expect(page).toContain('At your rate');
    expect(page).toContain('ids that cost nothing');
  });

  it("leaves nothing in servers that are the user's", async () => {
    await using redis = await startRedis();
    await using postgres = await startPostgres();
    const env = { REDIS_URL: redis.url, DATABASE_URL: postgres.url };
    await using bench = await RunningBench.startWith(env, REAL, '--smoke', '--only', 'segment-redis-db');
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    expect((await bench.result()).environment.byUrl).toEqual(['redis', 'sql']);
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
