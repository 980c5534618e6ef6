import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimList } from '../../src/claims/list.js';
import { html } from '../../src/report/escape.js';
import { renderHtml } from '../../src/report/html.js';
import type { BenchResult } from '../../src/result.js';
import { REAL, RunningBench } from '../support/run-bench.js';

describe('bench claims', () => {
  let bench: RunningBench;
  let code: number | null;
  let result: BenchResult;
  beforeAll(async () => {
    bench = await RunningBench.start(REAL, 'claims', '--smoke', '--only', 'objectid,gpid,segment-inproc');
    code = await bench.exitCode();
    result = await bench.result();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  it('measures both sides of every claim of the named packages, and leaves nothing behind', async () => {
    expect(code, bench.stderr).toBe(0);
    expect(result.problems).toEqual([]);
    const ids = claimList.claims.filter((one) => one.package !== 'segment-redis-db').map(({ id }) => id);
    expect(result.claims?.map(({ id }) => id)).toEqual(ids);
    for (const one of result.claims ?? []) expect(one.measured, one.id).toBeDefined();
    for (const { name, status, blocks } of result.probes ?? []) {
      expect([name, status, blocks.length]).toEqual([name, 'ok', 1]);
    }
    expect(await bench.leftovers()).toEqual([]);
  });

  it('prints every claim with what was promised, and writes the page from the file', async () => {
    for (const { id } of result.claims ?? []) expect(bench.stdout).toContain(id);
    expect(bench.stdout).toContain('>= 3x');
    const widest = Math.max(...bench.stdout.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(80);
    const page = await bench.page();
    expect(page).toBe(renderHtml(result));
    for (const { text } of result.claims ?? []) expect(page).toContain(html`${text}`.text);
  });
});
