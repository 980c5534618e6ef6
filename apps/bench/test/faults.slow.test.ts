import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIssued } from '../src/experiments/faults/soak.js';
import { PLANTED, RunningBench } from './support/run-bench.js';

describe('what was given while something went wrong', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
  });
  afterAll(() => rm(dir, { recursive: true }));

  async function given(...files: readonly string[]) {
    const paths = files.map((_, i) => join(dir, String(i)));
    await Promise.all(files.map((text, i) => writeFile(paths[i] ?? '', text)));
    return readIssued(paths);
  }

  it('is counted over all processes, with what was given twice, what was lost and the longest pause', async () => {
    expect(await given('100.5 7\n101 8\n', '300 12\n102 8\n')).toEqual({
      times: [100.5, 101, 300, 102],
      ids: 4,
      duplicates: 1,
      example: '8',
      lost: 3,
      withoutIdsMs: 198,
    });
  });

  it('holds no line that a kill cut off, and no lost numbers among texts', async () => {
    expect(await given('1 a/1\n2 a/2\n3 a')).toEqual({
      times: [1, 2],
      ids: 2,
      duplicates: 0,
      withoutIdsMs: 1,
    });
  });
});

describe('bench faults', () => {
  it('names a strategy that repeats itself after the clock was set back, and only that one', async () => {
    await using bench = await RunningBench.start(
      PLANTED,
      'faults',
      '--smoke',
      '--only',
      'sound,repeats-after-clock',
    );
    expect(await bench.exitCode(), bench.stderr).toBe(1);
    const { faults = [], problems } = await bench.result();
    expect(faults.map(({ fault, strategy, duplicates }) => [fault, strategy, duplicates > 0])).toEqual([
      ['process killed', 'sound', false],
      ['clock set back', 'sound', false],
      ['process killed', 'repeats-after-clock', false],
      ['clock set back', 'repeats-after-clock', true],
    ]);
    for (const { ids, timeline } of faults) {
      expect(ids).toBeGreaterThan(100);
      expect(timeline?.ids.reduce((sum, count) => sum + count, 0)).toBe(ids);
      expect(timeline?.struck.fromMs).toBeGreaterThan(0);
    }
    expect(problems).toEqual([
      expect.stringMatching(
        /^repeats-after-clock: clock set back: \d+ duplicates in \d+ ids, such as \d+\/1$/,
      ),
    ]);
    expect(bench.stdout).toContain('clock set back');
    expect(await bench.page()).toContain('such as ');
    expect(await bench.leftovers()).toEqual([]);
  });
});
