import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { profiles } from '@ids/bench/command';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Build, compareBuilds } from '../../src/regressions/compare.js';

/** As few blocks as a verdict needs. */
const BLOCKS = 5;

async function planted(file: string): Promise<Build> {
  const { href } = new URL(`../planted/${file}.mjs`, import.meta.url);
  return { url: href, cases: (await import(href)).cases };
}

async function compared(base: string, change: string, only?: readonly string[]) {
  const builds = [await planted(base), await planted(change)] as const;
  return compareBuilds(...builds, {
    profile: profiles.smoke,
    blocks: BLOCKS,
    view: () => {},
    signal: new AbortController().signal,
    ...(only && { only }),
  });
}

describe('compareBuilds', () => {
  it('finds a strategy that got slower, and names what only one build has', async () => {
    const report = await compared('counter', 'slow-counter');
    expect(report.regressions.map(({ strategy, figure }) => `${strategy}, ${figure}`)).toEqual([
      'counter, in bursts',
      'counter, in bursts, as Map key',
    ]);
    for (const { ratio } of report.changes) expect(ratio.verdict).toBe('slower');
    expect(report.leftOut).toEqual(['only-here is only in the base']);
    expect(report.problems).toEqual([]);
  });

  it('says that one got faster, which is no regression', async () => {
    const report = await compared('slow-counter', 'counter');
    for (const { ratio } of report.changes) expect(ratio.verdict).toBe('faster');
    expect(report.regressions).toEqual([]);
  });

  it('does not take for a regression what was slow in one round only', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ids-planted-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    process.env.IDS_PLANTED_DIR = dir;
    const report = await compared('counter', 'once-slow-counter');
    for (const { ratio } of report.changes) expect(ratio.verdict).toBe('slower');
    expect(report.regressions).toEqual([]);
    expect((await readdir(dir)).length).toBe(2 * BLOCKS);
  });

  it('refuses a name that no build has', async () => {
    await expect(compared('counter', 'slow-counter', ['count'])).rejects.toThrow('unknown strategy "count"');
  });
});
