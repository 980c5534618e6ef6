import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { html, renderPage } from '@ids/bench/command';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimList } from '../../src/list.js';
import { reportOf } from '../../src/report.js';
import type { ClaimsResult } from '../../src/results.js';

/** Each claim takes two processes: those of ObjectIds and UUIDs, a minute, are left to full runs. */
const PACKAGES = ['gpid', 'segment-inproc', 'snowflake'];
if (process.env.IDS_FULL === '1') PACKAGES.push('objectid', 'uuid7', 'segment-redis-db');

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

describe('pnpm claims', () => {
  let dir: string;
  let code: number | null;
  let stdout: string;
  let stderr: string;
  let result: ClaimsResult;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ids-claims-test-'));
    await mkdir(join(dir, 'tmp'));
    const out = join(dir, 'report');
    const args = [main, '--smoke', '--only', PACKAGES.join(','), '--out', out];
    const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: join(dir, 'tmp') } });
    [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    result = JSON.parse(await readFile(join(out, 'result.json'), 'utf8'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  it('measures both sides of every claim of the named packages, and leaves nothing behind', async () => {
    expect(code, stderr).toBe(0);
    expect(result.problems).toEqual([]);
    const ids = claimList.claims.filter((one) => PACKAGES.includes(one.package)).map(({ id }) => id);
    expect(result.claims.map(({ id }) => id)).toEqual(ids);
    // What this Node.js does not have is skipped.
    const missing = claimList.probes.filter((probe) => probe.missing !== undefined).map(({ name }) => name);
    const present = result.claims.filter(({ control }) => !missing.includes(control?.probe ?? ''));
    for (const one of present) expect(one.measured, one.id).toBeDefined();
    for (const { name, status, blocks } of result.probes) {
      const expected = missing.includes(name) ? ['skipped', 0] : ['ok', 1];
      expect([name, status, blocks.length]).toEqual([name, ...expected]);
    }
    expect(await readdir(join(dir, 'tmp'))).toEqual([]);
  });

  it('prints every claim with what was promised, and writes the page from the file', async () => {
    for (const { id } of result.claims) expect(stdout).toContain(id);
    expect(stdout).toMatch(/>= \d+x/);
    const widest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(widest).toBeLessThanOrEqual(80);
    const page = await readFile(join(dir, 'report', 'index.html'), 'utf8');
    expect(page).toBe(renderPage(result, reportOf(result)));
    for (const one of result.claims) expect(page).toContain(html`${one.text}`.text);
  });
});
