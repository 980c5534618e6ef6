// Runs the unit and conformance tests of what services load on another version of Node.js, fetched from the
// npm registry for this run; with `--integration`, those of our tools, on real servers and under faults as
// well. Tests of the documentation site and those that judge our own tests and checkers are left out: what
// they find out is the same on all versions.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const USAGE = `pnpm test:node VERSION [--integration] [arguments of vitest]

  VERSION         of the npm package node, such as 24 or 20.19.0
  --integration   also the integration tests, every conformance test, and those of tools`;

const [version = '', ...rest] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error(`test:node: VERSION must be a number such as 24 or 20.19.0, got "${version}"\n\n${USAGE}`);
  process.exit(2);
}
const integration = rest.includes('--integration');
const passedOn = rest.filter((argument) => argument !== '--integration');

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const excluded = [
  '**/*mutants{,.nightly}.test.ts',
  '**/planted-strategies.nightly.test.ts',
  '**/site.nightly.test.ts',
  ...(integration ? [] : ['**/integration/**']),
];
// Most of their conformance tests wait for servers, by protocols that are the same on every version.
const withoutConformance = integration ? [] : ['encode', 'segment-inproc', 'segment-redis-db', 'snowflake'];
const exclusions = excluded.flatMap((glob) => ['--exclude', glob]);
// Several projects that are left out would leave out none: each is in what the others leave.
const loaded = ['core', 'encode', 'gpid', 'objectid', 'uuid7', 'config', 'cli', 'segment', 'keyed'];
const services = [...loaded, 'segment-inproc', 'segment-redis-db', 'snowflake', 'testing', 'examples'];
const projects = (integration ? ['!conformance'] : services).flatMap((name) => ['--project', name]);
const run = [vitest, 'run', ...projects, ...exclusions, ...passedOn];
const { status, error } = spawnSync('npx', ['--yes', '-p', `node@${version}`, '--', 'node', ...run], {
  stdio: 'inherit',
  env: { ...process.env, IDS_WITHOUT_CONFORMANCE: withoutConformance.join(',') },
});
if (error) throw error;
process.exit(status ?? 1);
