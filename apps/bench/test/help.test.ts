import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { benchFlags, benchUsage } from '../src/cli/flags.js';
import { helpText } from '../src/cli/help.js';

it('names every option', async () => {
  const text = await helpText(benchUsage);
  for (const flag of Object.keys(benchFlags)) expect(text).toContain(`--${flag}`);
});

it.each(['--help', '-h'])('is printed by "pnpm bench %s" without a build', async (flag) => {
  const script = fileURLToPath(new URL('../../../scripts/bench.mjs', import.meta.url));
  // Without a PATH there is no pnpm, which would build.
  const env = { ...process.env, PATH: '' };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'faults', flag], { env });
  expect(stdout).toBe(await helpText(benchUsage));
});
