import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it.each([
    'repeats-one',
    'real-time-by-name',
    'leaks',
    'goes-back',
    'ill-formed',
    'repeats-when-warm',
    'crashes',
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
      const [advice] = result.advice;
      expect(advice?.fits.find(({ strategy }) => strategy === name)?.unmet).not.toEqual([]);
    },
  );

  it.each([
    ['ill-formed', 'invalid', '"not an id" does not match'],
    ['repeats-when-warm', 'invalid', 'issued twice'],
    ['crashes', 'failed', 'crashed (SIGSEGV)'],
    ['throws', 'failed', 'no more ids today'],
    ['hangs', 'failed', 'hung: no end after 20 s'],
  ])('says what %s did: %s', (name, status, words) => {
    expect(caseOf(name)).toMatchObject({ status, reason: expect.stringContaining(words) });
    expect(result.problems).toContainEqual(expect.stringContaining(words));
    expect(bench.stdout).toContain(name);
  });

  it('gives no figures to a strategy whose ids are wrong', () => {
    expect(caseOf('ill-formed').sync).toBeUndefined();
    expect(bench.stdout).toContain('INVALID');
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
