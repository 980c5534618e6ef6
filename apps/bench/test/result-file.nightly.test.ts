import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profiles } from '../src/experiments/profile.js';
import { compareResults, comparisonLines } from '../src/judge/compare.js';
import { readResult, toJson } from '../src/result/files.js';
import type { BenchResult } from '../src/schema/run.js';
import { claimsFixture, resultFixture } from './support/result-fixture.js';
import { REAL, RunningBench } from './support/run-bench.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function written(value: unknown): Promise<string> {
  const path = join(dir, 'result.json');
  await writeFile(path, JSON.stringify(value));
  return path;
}

describe('the schema of result.json', () => {
  const [claim] = claimsFixture.claims ?? [];
  const probe = { name: 'next', status: 'ok' };

  it('accepts what a run writes', async () => {
    const path = await written(JSON.parse(toJson(resultFixture)));
    expect(await readResult(path)).toEqual(JSON.parse(toJson(resultFixture)));
  });

  it.each<[string, Partial<Record<keyof BenchResult, unknown>>, string]>([
    ['of another version', { schemaVersion: 3 }, 'schemaVersion is 3, 1 and 2 are understood'],
    ['without its cases', { cases: undefined }, 'result.json: cases: is required'],
    ['with a wrong type', { seconds: 'long' }, 'result.json: seconds: must be a number, got "long"'],
    [
      'with a wrong type inside',
      { claims: [{ ...claim, case: 5 }] },
      'claims.0.case: must be an object, got 5',
    ],
    [
      'with a wrong word',
      { claims: [{ ...claim, direction: 'at best' }] },
      'claims.0.direction: must be one of "at least", "at most", got "at best"',
    ],
    ['with something unknown', { mood: 'good' } as never, 'mood: unknown key "mood" (known: incomplete'],
    ['with an array for figures', { probes: [{ ...probe, blocks: [[5]] }] }, 'blocks.0: must be an object'],
    [
      'with an array for needs',
      { advice: [{ needs: [] }] },
      'advice.0.needs: must be an object, got an array',
    ],
    ['with an array for an order', { advice: [{ needs: { order: [] } }] }, 'needs.order: must be an object'],
  ])('refuses a file %s', async (_, change, message) => {
    await expect(readResult(await written({ ...resultFixture, ...change }))).rejects.toThrow(message);
  });

  it('reads version 1, without latencies that were medians of blocks and without what was recommended by them', async () => {
    const old = <T extends BenchResult>({ cases, ...run }: T) => ({
      ...run,
      cases: cases.map(({ openLoops, ...one }) => ({
        ...one,
        ...(openLoops && { openLoops: openLoops.map(({ p99OfWorstBlock: _worst, ...load }) => load) }),
        ...(openLoops && { atRate: { rate: 2_000, achieved: 867 } }),
      })),
    });
    const { schemaVersion: _version, ...kept } = old(resultFixture);
    const path = await written({ ...old(resultFixture), schemaVersion: 1, kept: [kept] });
    const read = await readResult(path);
    for (const { cases, advice } of [read, ...(read.kept ?? [])]) {
      expect(cases.map(({ name }) => name)).toEqual(resultFixture.cases.map(({ name }) => name));
      for (const one of cases) expect(one).not.toHaveProperty('openLoops');
      for (const one of cases) expect(one).not.toHaveProperty('atRate');
      expect(cases[0]?.sync?.p99).toBe(30.1);
      expect(advice[0]?.fits).toEqual(resultFixture.advice[0]?.fits);
      expect(advice[0]).not.toHaveProperty('choice');
      expect(advice[0]).not.toHaveProperty('config');
      expect(advice[0]?.sentences).toEqual([expect.stringMatching(/^No recommendation: .* older version/)]);
    }
    expect(read.schemaVersion).toBe(2);
    expect(resultFixture.advice[0]?.choice).toBeDefined();
  });

  it('says so when the file is not there', async () => {
    await expect(readResult(join(dir, 'none.json'))).rejects.toThrow('none.json cannot be read: ENOENT');
  });
});

describe('--compare', () => {
  const scaled = (factor: number): BenchResult => ({
    ...resultFixture,
    cases: resultFixture.cases.map((one) =>
      one.sync
        ? {
            ...one,
            sync: {
              ...one.sync,
              ratios: one.sync.ratios.map((ratio) => ({
                ...ratio,
                median: ratio.median * factor,
                low: ratio.low * factor,
                high: ratio.high * factor,
              })),
            },
          }
        : one,
    ),
  });

  it.each([
    [1.5, 'faster'],
    [0.5, 'slower'],
    [1.05, 'tie'],
  ])('calls a ratio times %d %s', (factor, verdict) => {
    const { changes } = compareResults(resultFixture, scaled(factor));
    const bursts = changes.find(({ what }) => what === 'quick-ids, in bursts');
    expect(bursts).toMatchObject({ control: 'bson ObjectId', verdict });
    expect(changes.filter(({ verdict: other }) => other !== 'tie')).toHaveLength(verdict === 'tie' ? 0 : 1);
  });

  it.each(['quick-ids', 'bson ObjectId'])(
    'gives no verdict on figures of %s if that failed in a block',
    (name) => {
      const after = scaled(1.5);
      const cases = after.cases.map((one) =>
        one.name === name ? { ...one, status: 'failed' as const } : one,
      );
      const { changes } = compareResults(resultFixture, { ...after, cases });
      expect(changes.filter(({ what, control }) => [what.split(',')[0], control].includes(name))).toEqual([]);
      expect(changes).not.toEqual([]);
    },
  );

  it('says in words what changed, and counts the rest', () => {
    expect(comparisonLines(compareResults(resultFixture, scaled(1.5)))).toEqual([
      'faster: quick-ids, in bursts vs bson ObjectId: 3.15x, was 2.10x',
      'tie: 4 of 5 ratios, whose intervals touch',
    ]);
  });
});

describe('runs that cannot be compared', () => {
  const quick = resultFixture;
  const smoke = { ...quick, profile: profiles.smoke };
  const busy = { ...quick, notComparable: 'load 3.1 on 2 cores' };
  const small = { ...quick.environment, cpu: 'CPU', cores: 4 };
  const older = { ...quick, environment: { ...small, node: '20.20.2' } };
  const newer = { ...quick, environment: { ...small, node: '24.1.0' } };

  it.each([
    [quick, busy, 'this run was on a busy machine: load 3.1 on 2 cores'],
    [busy, quick, 'the earlier run was on a busy machine: load 3.1 on 2 cores'],
    [smoke, smoke, 'the earlier run was a smoke run, whose figures mean nothing'],
    [quick, { ...quick, profile: profiles.full }, 'the earlier run was --quick, this one --full'],
    [quick, { ...quick, incomplete: true }, 'this run was stopped'],
    [
      older,
      newer,
      'the earlier run was on Node.js 20.20.2 with 4 cores of CPU, this one on Node.js 24.1.0 with 4 cores of CPU',
    ],
  ])('get a reason and no verdict (%#)', (before, after, notComparable) => {
    const comparison = compareResults(before, after);
    expect(comparison).toEqual({ with: before.startedAt, notComparable, changes: [] });
    expect(comparisonLines(comparison)).toEqual([`not comparable: ${notComparable}`]);
  });
});

it('two reports are compared part by part, each by the run that it comes from', () => {
  const [claim] = resultFixture.claims ?? [];
  const claims = { ...resultFixture, cases: [], claims: claim === undefined ? [] : [claim] };
  // The last command was `claims`; the run before it, which is kept, was a smoke run.
  const { schemaVersion: _version, claims: _claims, ...run } = resultFixture;
  const kept = (profile: typeof run.profile): BenchResult => ({ ...claims, kept: [{ ...run, profile }] });
  expect(compareResults(kept(profiles.smoke), kept(profiles.smoke)).changes).toEqual([]);
  expect(compareResults(kept(profiles.quick), kept(profiles.quick)).changes).not.toEqual([]);
  expect(compareResults(claims, resultFixture).notComparable).toBe('the two ran different commands');
});

describe('bench report', () => {
  it('renders an earlier run again, beside another, without measuring anything', async () => {
    const path = await written(JSON.parse(toJson(resultFixture)));
    await using bench = await RunningBench.start(REAL, 'report', path, '--compare', path);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    expect(bench.stdout).toContain('quick-ids');
    expect(bench.stdout).toContain('tie: 5 of 5 ratios');
    expect(await bench.page()).toContain('Compared with the run of 2026-01-02');
  });

  it('refuses a file that is no result', async () => {
    await using bench = await RunningBench.start(REAL, 'report', await written({ schemaVersion: 1 }));
    expect(await bench.exitCode()).toBe(2);
    expect(bench.stderr).toContain('incomplete: is required');
  });
});
