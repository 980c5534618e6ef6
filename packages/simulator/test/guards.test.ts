import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Guard } from '../src/guards.js';
import { runSeed } from '../src/run-seed.js';
import { withoutGuard } from '../src/without-guard.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** What a search for the guard prints, and its exit code. */
async function searchFor(
  guard: string,
  seeds: number,
): Promise<{ readonly stdout: string; readonly code: number }> {
  const args = ['--guards', guard, '--from', '1', '--seeds', String(seeds)];
  const search = promisify(execFile)(process.execPath, [MAIN, ...args]);
  const { stdout } = await search.catch((error: { readonly stdout: string }) => error);
  return { stdout, code: search.child.exitCode ?? -1 };
}

describe('a protocol without one of its guards', () => {
  it('is found broken', async () => {
    const { stdout, code } = await searchFor('ids of bookings', 50);
    expect(stdout).toMatch(/^ids of bookings: seed \d+ breaks without it: unique; \d+ seeds/m);
    expect(code).toBe(0);
  });

  it('is named when no seed breaks in its way', async () => {
    const { stdout, code } = await searchFor('high-water mark', 1);
    expect(stdout).toContain('0 of 1 guards found, not "high-water mark"');
    expect(code).toBe(1);
  });

  it('is a broken harness when the guard is nowhere in the scripts', async () => {
    const nowhere: Guard = { name: 'nowhere', breaks: '', out: [['no such line', '']] };
    const { wraps, unused } = withoutGuard(nowhere);
    expect((await runSeed(1, { wraps })).ids).toBeGreaterThan(0);
    expect(unused()).toMatch(/"nowhere" was not switched off: nothing that ran has "no such line"/);
  });

  it('is a broken harness when no confirmation lacked a replica', async () => {
    const { wraps, unused } = withoutGuard({
      name: 'nothing',
      breaks: '',
      confirmation: { of: [], enough: 0 },
    });
    expect((await runSeed(1, { wraps })).ids).toBeGreaterThan(0);
    expect(unused()).toMatch(/"nothing" was not switched off: nothing that ran was confirmed by too few/);
  });
});
