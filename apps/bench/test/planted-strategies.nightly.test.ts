import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchCase, NOWHERE } from '../src/cases/case.js';
import { leakPerId } from '../src/experiments/uniqueness/check.js';
import { issueIds } from '../src/experiments/uniqueness/issue-ids.js';
import { slowerText } from '../src/judge/fit.js';
import { decision } from '../src/report/decision.js';
import { candidatesOf } from '../src/report/rate-chart.js';
import type { CaseResult } from '../src/schema/case.js';
import type { BenchResult } from '../src/schema/run.js';
import { PLANTED, RunningBench } from './support/run-bench.js';

describe('a run over strategies that misbehave', () => {
  let bench: RunningBench;
  let code: number | null;
  let result: BenchResult;
  beforeAll(async () => {
    bench = await RunningBench.start(PLANTED, '--smoke');
    code = await bench.exitCode();
    result = await bench.result();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  function caseOf(name: string): CaseResult {
    const found = result.cases.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no case "${name}"`);
    return found;
  }

  it('ends with exit code 1 and leaves no temporary file', async () => {
    expect(code).toBe(1);
    expect(await bench.leftovers()).toEqual([]);
  });

  it('measures the sound one in spite of them', () => {
    const { status, sync, uniqueness, order } = caseOf('sound');
    expect(status).toBe('ok');
    expect(sync?.ratios[0]?.control).toBe('counter');
    expect(uniqueness).toMatchObject({ ids: 40_000, processes: 4, duplicates: 0 });
    expect(order).toMatchObject({ calls: 3_010, brokenClaims: [] });
    expect(result.problems.filter((problem) => problem.startsWith('sound'))).toEqual([]);
  });

  it('names the one repeated id, and who gave it', () => {
    expect(caseOf('repeats-one').uniqueness?.duplicates).toBe(1);
    expect(result.problems).toContain(
      'repeats-one: 1 duplicate in 40000 ids: 1/777 was issued by process 1 as its id 776 and by process 2 as its id 4999',
    );
  });

  it('names a broken claim of order with the calls that break it', () => {
    expect(result.problems).toContainEqual(
      expect.stringMatching(
        /^goes-back: claims increasing ids within a process, but process \d had \d+\/1000500 at/,
      ),
    );
  });

  it('names a claim of real-time order that holds within each process only', async () => {
    const [problem = ''] = result.problems.filter((one) => one.startsWith('real-time-by-name'));
    expect(problem).toMatch(/claims real-time order, but process \d had \d+ at .*, got \d+/);
    expect(caseOf('real-time-by-name').order?.observed).toBe('per process');
  });

  it('names a leak, with its size', () => {
    expect(caseOf('leaks').uniqueness?.retainedBytesPerId).toBeGreaterThan(200);
    expect(result.problems).toContainEqual(expect.stringMatching(/^leaks: leaks memory: \d+ bytes per id/));
  });

  it('names a claim of real-time order that only holds where all have one clock', () => {
    const [problem = ''] = result.problems.filter((one) => one.startsWith('clock-order'));
    expect(problem).toMatch(/claims real-time order, but process \d had \d+ at .*, got \d+/);
    expect(problem).toContain('the clocks of process 0 were 1 s behind');
  });

  const slowing = ['made-in-advance', 'fills-while-warming', 'throttles'];

  it.each(slowing)('sees that %s gets slow with its age or its ids, and never recommends it', (name) => {
    const fit = result.advice?.fits.find(({ strategy }) => strategy === name);
    const slower = /^slows down: next\w* took .* per id, and .* after \d+ s and [\d,]+ ids$/;
    expect(fit).toMatchObject({ sound: false });
    expect(fit?.unmet).toContainEqual(expect.stringMatching(slower));
    expect(bench.stdout.replace(/\s+/g, ' ')).toContain('slows down: next');
  });

  it('says of no other that it slows down', () => {
    const others = result.cases.filter(({ name, slowdown }) => slowdown && !slowing.includes(name));
    expect(others.map(({ name }) => name)).toContain('sound');
    expect(caseOf('sound').slowdown?.afterMs).toBeGreaterThanOrEqual(500);
    expect(others.flatMap(slowerText)).toEqual([]);
  });

  it.each([
    'repeats-one',
    'real-time-by-name',
    'clock-order',
    'leaks',
    'goes-back',
    'ill-formed',
    'repeats-when-warm',
    'crashes',
    'ends-midway',
    'throws',
    'hangs',
  ])(
    'shows %s as wrong in the terminal, in the page and in the file, and never recommends it',
    async (name) => {
      const text = bench.stdout.replace(/\s+/g, ' ');
      const [problem = 'none'] = result.problems.filter((one) => one.startsWith(`${name}: `));
      expect(text.slice(text.indexOf(' Wrong '))).toContain(`${name}: `);
      const [, wrong = ''] = (await bench.page()).split('<h2>Wrong</h2>');
      expect(wrong.slice(0, wrong.indexOf('</section>'))).toContain(
        problem.slice(0, 40).replace(/["'].*/s, ''),
      );
      const { advice } = result;
      expect(advice?.fits.find(({ strategy }) => strategy === name)?.unmet).not.toEqual([]);
    },
  );

  it.each([
    ['ill-formed', 'invalid', '"not an id" does not match'],
    ['repeats-when-warm', 'invalid', 'issued twice'],
    ['crashes', 'failed', 'crashed (SIGSEGV)'],
    ['ends-midway', 'failed', 'the backend has ended'],
    ['throws', 'failed', 'no more ids today'],
    ['hangs', 'failed', 'hung: no end after 20 s'],
  ])('says what %s did: %s', (name, status, words) => {
    expect(caseOf(name)).toMatchObject({ status, reason: expect.stringContaining(words) });
    expect(result.problems).toContainEqual(expect.stringContaining(words));
    expect(bench.stdout).toContain(name);
  });

  it('gives no figures to a strategy that failed after they were measured, in any report', () => {
    const known = ['name', 'kind', 'status', 'reason', 'guarantees'];
    expect(Object.keys(caseOf('ends-midway')).sort()).toEqual(known.sort());
    const { blocks } = decision(result);
    const rows = blocks.flatMap((one) => (one instanceof Object && 'groups' in one ? one.groups : []))[0]
      ?.rows;
    const texts = rows?.map((cells) => cells.map((cell) => (typeof cell === 'string' ? cell : cell.text)));
    const [, fits, ...measured] = texts?.find(([name]) => name === 'ends-midway') ?? [];
    expect(fits).toMatch(/^failed/);
    expect(measured.slice(0, 4)).toEqual(['-', '-', 'within each process', 'not tested']);
    expect(candidatesOf(result.cases, undefined).map(({ label }) => label)).not.toContain('ends-midway');
  });

  it('gives no figures to a strategy whose ids are wrong', () => {
    expect(caseOf('ill-formed').sync).toBeUndefined();
    expect(bench.stdout).toContain('INVALID');
  });
});

describe('a leak', () => {
  const claims = {
    idType: 'string',
    text: { pattern: /^\d+\/\d+$/, maxLength: 30, sortable: false },
  } as const;
  // As many ids as a process of a quick run issues.
  const count = 1_250_000;
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    setFlagsFromString('--expose-gc');
    globalThis.gc ??= runInNewContext('gc') as typeof globalThis.gc;
  });
  afterAll(() => rm(dir, { recursive: true }));

  it.each([
    ['sound', 0, 0],
    ['leaks-slowly', 0.5, 3],
  ] as const)('of a byte per id is seen, and none where there is none: %s', async (name, least, most) => {
    const planted = new URL('./planted/cases.mjs', import.meta.url).href;
    const { cases, leaksSlowly } = (await import(planted)) as {
      readonly cases: readonly BenchCase[];
      readonly leaksSlowly: BenchCase;
    };
    const subject = await [...cases, leaksSlowly].find((one) => one.name === name)?.open(NOWHERE);
    if (subject === undefined) throw new Error(`no case "${name}"`);
    const retainedBytes = await issueIds(subject, claims, { count, path: join(dir, name), process: 0 });
    const found = leakPerId([retainedBytes], count);
    expect(found).toBeGreaterThanOrEqual(least);
    expect(found).toBeLessThanOrEqual(most);
  });
});

describe('a strategy that repeats itself once in ten million ids', () => {
  it.skipIf(process.env.IDS_FULL !== '1')('is found by a quick run', async () => {
    await using bench = await RunningBench.start(PLANTED, '--quick', '--only', 'repeats-rarely');
    expect(await bench.exitCode()).toBe(1);
    expect((await bench.result()).problems).toEqual([
      'repeats-rarely: 1 duplicate in 10000000 ids: 1/777 was issued by process 1 as its id 776 and by process 2 as its id 1999999',
    ]);
  });
});
