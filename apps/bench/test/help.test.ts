import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { benchProgram } from '../src/cli/flags.js';

it.each(['--help', '-h'])('is printed by "pnpm bench %s" without a build', async (flag) => {
  const script = fileURLToPath(new URL('../../../scripts/bench.mjs', import.meta.url));
  // Without a PATH there is no pnpm, which would build.
  const env = { ...process.env, PATH: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'faults', flag], { env });
  expect(stdout).toBe(benchProgram().helpInformation());
  for (const { flags } of benchProgram().options) expect(stdout).toContain(`  ${flags} `);
});

it.each(['--help', '-h'])('is printed by the built bench for %s, which ends with 0', async (flag) => {
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, '--full', flag]);
  expect({ stdout, stderr }).toEqual({ stdout: benchProgram().helpInformation(), stderr: '' });
});
