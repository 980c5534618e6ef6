import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { benchProgram } from '../src/cli/flags.js';

/** The options, and the environment variables that the bench and its servers read. */
function expectWhole(help: string): void {
  expect(help.startsWith(benchProgram().helpInformation())).toBe(true);
  for (const { flags } of benchProgram().options) expect(help).toContain(`  ${flags} `);
  const [, variables = ''] = help.split('\nEnvironment variables:\n');
  for (const name of ['REDIS_URL', 'DATABASE_URL', 'IDS_POSTGRES', 'TMPDIR', 'XDG_CACHE_HOME', 'NO_COLOR']) {
    expect(variables).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  }
  expect(Math.max(...variables.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
}

it.each(['--help', '-h'])('is printed by "pnpm bench %s" without a build', async (flag) => {
  const script = fileURLToPath(new URL('../../../scripts/bench.mjs', import.meta.url));
  // Without a PATH there is no pnpm, which would build.
  const env = { ...process.env, PATH: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'faults', flag], { env });
  expectWhole(stdout);
});

it.each(['--help', '-h'])('is printed by the built bench for %s, which ends with 0', async (flag) => {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, '--full', flag]);
  expectWhole(stdout);
  expect(stderr).toBe('');
});
