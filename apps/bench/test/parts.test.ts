import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderHtml, writeReport } from '../src/report/page.js';
import { keepParts } from '../src/result/files.js';
import type { BenchResult } from '../src/schema/run.js';
import { claimsFixture, faultsFixture, indexFixture, resultFixture } from './support/result-fixture.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ids-bench-test-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** Writes one result after the other into one folder, as the commands do. */
async function inTurn(...results: readonly BenchResult[]) {
  const out = await mkdtemp(join(dir, 'out-'));
  let last: { readonly result: BenchResult; readonly leftOut: readonly string[] } | undefined;
  for (const one of results) {
    const { kept, leftOut } = await keepParts(one, out);
    const result = { ...one, kept };
    await writeReport(result, out);
    last = { result, leftOut };
  }
  if (last === undefined) throw new Error('nothing was written');
  return last;
}

const all = [resultFixture, faultsFixture, indexFixture, claimsFixture];
const heads = ['Decision table', 'Faults', 'What the primary key costs', 'What packages claim'];

describe('the commands', () => {
  it('share one page, whatever the order in which they ran', async () => {
    const { result, leftOut } = await inTurn(...all);
    expect(leftOut).toEqual([]);
    const page = renderHtml(result);
    const at = heads.map((head) => page.indexOf(`<h2>${head}</h2>`));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(page).not.toContain('Not in this report yet');
    const { result: reversed } = await inTurn(...all.toReversed());
    const body = (one: BenchResult) => renderHtml(one).replace(/<title>.*?<\/title>/, '');
    expect(body(reversed)).toBe(body(result));
  });

  it('say what a page does not hold yet, and how to get it', () => {
    const page = renderHtml(faultsFixture);
    for (const command of ['pnpm bench', 'pnpm bench index', 'pnpm claims']) {
      expect(page).toContain(`<li><code>${command}</code>: `);
    }
    expect(page).not.toContain('<li><code>pnpm bench faults</code>');
  });

  it('name the commands of an installed bench, which has no claims', () => {
    const { gitCommit: _gitCommit, ...installed } = faultsFixture.environment;
    const page = renderHtml({ ...faultsFixture, environment: installed });
    for (const command of ['npx @ids/bench', 'npx @ids/bench index'])
      expect(page).toContain(`<li><code>${command}</code>: `);
    expect(page).not.toContain('claims</code>');
  });

  it('replace what the same command found before', async () => {
    const again = { ...faultsFixture, startedAt: '2026-01-03T00:00:00.000Z' };
    const { result } = await inTurn(resultFixture, faultsFixture, again);
    expect(result.kept).toHaveLength(1);
    const page = renderHtml(result);
    expect(page).toContain('2026-01-03T00:00:00.000Z');
    expect(page).not.toContain(faultsFixture.startedAt);
  });

  it.each([
    ['version', { version: '0.9.0' }, 'bench: its version was 1.0.0, that of this run is 0.9.0'],
    ['commit', { gitCommit: 'cafe' }, 'bench: its commit was f00d, that of this run is cafe'],
    ['version of Node', { node: '22.1.0' }, 'bench: its node was 20.20.2, that of this run is 22.1.0'],
    ['machine', { cores: 8 }, 'bench: its cores was 2, that of this run is 8'],
  ])('never mix figures of another %s in, and say what they left out', async (_, change, why) => {
    const other = { ...faultsFixture, environment: { ...faultsFixture.environment, ...change } };
    const { result, leftOut } = await inTurn(resultFixture, other);
    expect(result.kept).toEqual([]);
    expect(leftOut).toEqual([why]);
  });

  it('write a new report where there is none that can be read', async () => {
    const out = await mkdtemp(join(dir, 'out-'));
    expect(await keepParts(resultFixture, out)).toEqual({ kept: [], leftOut: [] });
    await writeFile(join(out, 'result.json'), 'no JSON');
    const { kept, leftOut } = await keepParts(resultFixture, out);
    expect(kept).toEqual([]);
    expect(leftOut).toEqual([expect.stringContaining('cannot be read')]);
  });
});
