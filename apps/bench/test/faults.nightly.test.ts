import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readIssued, type SoakAnswer } from '../src/experiments/faults/soak.js';
import { PLANTED, RunningBench } from './support/run-bench.js';

describe('what was given while something went wrong', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
  });
  afterAll(() => rm(dir, { recursive: true }));

  async function given(asked: Pick<SoakAnswer, 'from' | 'until'>, ...files: readonly string[]) {
    const paths = files.map((_, i) => join(dir, String(i)));
    await Promise.all(files.map((text, i) => writeFile(paths[i] ?? '', text)));
    return readIssued(paths, [asked]);
  }

  it('is counted over all processes, with what was given twice, what was lost and the longest pause', async () => {
    expect(await given({ from: 100, until: 301 }, '100.5 7\n101 8\n', '300 12\n102 8\n')).toEqual({
      ids: 4,
      duplicates: 1,
      example: '8',
      lost: 3,
      withoutIdsMs: 198,
    });
  });

  it('holds no line that a kill cut off, and no lost numbers among texts', async () => {
    expect(await given({ from: 1, until: 2 }, '1 a/1\n2 a/2\n3 a')).toEqual({
      ids: 2,
      duplicates: 0,
      withoutIdsMs: 1,
    });
  });
});

describe('the longest time without an id', () => {
  it.each([
    ['lasts until the end if no id ever came again', { from: 0, until: 900 }, '100 7\n150 8\n', 750],
    ['begins with the first call if the first id was late', { from: 0, until: 360 }, '300 7\n350 8\n', 300],
    ['is the whole time if there was no id', { from: 100, until: 900 }, '', 800],
    ['counts an id that came later than the last call', { from: 0, until: 400 }, '10 7\n500 8\n', 490],
  ])('%s', async (_, asked, file, expected) => {
    const dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const path = join(dir, 'issued');
    await writeFile(path, file);
    expect((await readIssued([path], [asked])).withoutIdsMs).toBe(expected);
  });
});

describe('bench faults', () => {
  it('names a strategy that repeats itself after the clock was set back, and only that one', async () => {
    await using bench = await RunningBench.start(
      PLANTED,
      'faults',
      '--smoke',
      '--only',
      'sound,repeats-after-clock,gives-nothing',
    );
    expect(await bench.exitCode(), bench.stderr).toBe(1);
    const { faults = [], problems } = await bench.result();
    expect(faults.map(({ fault, strategy, duplicates }) => [fault, strategy, duplicates > 0])).toEqual([
      ['process killed', 'sound', false],
      ['clock set back', 'sound', false],
      ['process killed', 'repeats-after-clock', false],
      ['clock set back', 'repeats-after-clock', true],
      ['process killed', 'gives-nothing', false],
      ['clock set back', 'gives-nothing', false],
    ]);
    for (const { ids } of faults.slice(0, 4)) {
      expect(ids).toBeGreaterThan(100);
    }
    expect(problems).toEqual([
      expect.stringMatching(
        /^repeats-after-clock: clock set back: \d+ duplicates in \d+ ids, such as \d+\/1$/,
      ),
    ]);
    for (const { ids, errors, withoutIdsMs } of faults.slice(4)) {
      expect({ ids, failed: errors > 0 }).toEqual({ ids: 0, failed: true });
      // All the time that is soaked in a smoke run.
      expect(withoutIdsMs).toBeGreaterThanOrEqual(1_500);
    }
    expect(bench.stdout).toContain('clock set back');
    expect(await bench.page()).toContain('such as ');
    expect(await bench.leftovers()).toEqual([]);
  });
});
