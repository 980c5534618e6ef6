// Runs the unit and conformance tests on Node 24, fetched from the npm registry for this run.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status, error } = spawnSync(
  'npx',
  [
    '--yes',
    '-p',
    'node@24',
    '--',
    'node',
    vitest,
    'run',
    '--exclude',
    '**/integration/**',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
if (error) throw error;
process.exit(status ?? 1);
