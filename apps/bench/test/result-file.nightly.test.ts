import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advise } from '../src/judge/advise.js';
import { readResult, toJson } from '../src/report/files.js';
import { keyedFixture, resultFixture } from './support/result-fixture.js';
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

describe('result.json', () => {
  it('is read as a run writes it', async () => {
    const path = await written(JSON.parse(toJson(resultFixture)));
    expect(await readResult(path)).toEqual(JSON.parse(toJson(resultFixture)));
  });

  it.each<[string, unknown, string]>([
    ['of another version', { ...resultFixture, schemaVersion: 5 }, 'schemaVersion is 5, 6 is understood'],
    ['without a version', [], 'schemaVersion is undefined, 6 is understood'],
    ['that is empty', null, 'schemaVersion is undefined, 6 is understood'],
    ['without its cases', { ...resultFixture, cases: undefined }, 'is no result: cases is missing'],
  ])('is refused if it is one %s', async (_, value, message) => {
    await expect(readResult(await written(value))).rejects.toThrow(message);
  });

  it('says so when the file is not there', async () => {
    await expect(readResult(join(dir, 'none.json'))).rejects.toThrow('none.json cannot be read: ENOENT');
  });
});

describe('bench report', () => {
  it('renders an earlier run again, without measuring anything', async () => {
    const path = await written(JSON.parse(toJson(resultFixture)));
    await using bench = await RunningBench.start(REAL, 'report', path);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    expect(bench.stdout).toContain('quick-ids');
    expect(await bench.result()).toEqual(JSON.parse(toJson(resultFixture)));
  });

  it('ranks the strategies of an earlier run again for other needs', async () => {
    const path = await written(JSON.parse(toJson(resultFixture)));
    await using bench = await RunningBench.start(
      REAL,
      'report',
      path,
      '--order',
      'real-time',
      '--rate',
      '60000',
    );
    expect(await bench.exitCode(), bench.stderr).toBe(0);
    const { advice, cases } = await bench.result();
    expect(resultFixture.advice).toMatchObject({ choice: 'quick-ids' });
    expect(advice).toEqual(advise({ order: { cluster: 'real-time' }, rate: 60_000 }, cases));
    const text = bench.stdout.replace(/\s+/g, ' ');
    expect(text).toMatch(/real-time, .*k-sorted/);
    expect(text).toContain('rate: needs 60 k ids/s, measured 52 k');
  });

  it('ends with 0 for a run that was stopped', async () => {
    const path = await written(JSON.parse(toJson({ ...resultFixture, incomplete: true })));
    await using bench = await RunningBench.start(REAL, 'report', path);
    expect(await bench.exitCode(), bench.stderr).toBe(0);
  });

  it('refuses needs for a result that ranks nothing', async () => {
    const path = await written(JSON.parse(toJson(keyedFixture)));
    await using bench = await RunningBench.start(REAL, 'report', path, '--type', 'number');
    expect(await bench.exitCode()).toBe(2);
  });

  it('refuses a file that is no result', async () => {
    await using bench = await RunningBench.start(REAL, 'report', await written({ schemaVersion: 6 }));
    expect(await bench.exitCode()).toBe(2);
    expect(bench.stderr).toContain('is no result: cases, problems, environment is missing');
  });
});
