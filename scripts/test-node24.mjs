// Runs the unit and conformance tests on Node 24, fetched from the npm registry for this run. Tests of the
// documentation site and those that judge our own tests and checkers are left out: what they find out is the
// same on every version of Node.js.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const excluded = [
  '**/integration/**',
  '**/*mutants{,.slow}.test.ts',
  '**/planted-strategies.slow.test.ts',
  '**/site.slow.test.ts',
];
// Most of their conformance tests wait for servers, by protocols that are the same on every version.
const withoutConformance = ['encode', 'segment-inproc', 'segment-redis-db', 'snowflake'];
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
    '--project',
    '!conformance',
    ...excluded.flatMap((glob) => ['--exclude', glob]),
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, IDS_WITHOUT_CONFORMANCE: withoutConformance.join(',') } },
);
if (error) throw error;
process.exit(status ?? 1);
