// Runs the tests of what most machines lack. Fails where it is missing or a test is skipped: elsewhere these
// tests are skipped.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const integrationOf = (name) => `packages/${name}/test/integration`;
const segment = integrationOf('segment');
const redis = integrationOf('segment-redis-db');

/** By the name of what they need: the files, the settings, and why it is not there, if it is not. */
const NEEDS = {
  mysql: {
    files: filesIn(segment, /DIALECTS|mysqlUrl|openMysql/),
    missing: unset('MYSQL_URL', 'a MySQL or MariaDB, as a user with all rights: mysql://root@127.0.0.1:3306'),
  },
  'node-redis': {
    files: filesIn(redis),
    env: { IDS_REDIS_CLIENT: 'node-redis' },
  },
  neon: {
    files: [segment, ...['keyed', 'snowflake', 'segment-inproc'].map(integrationOf)].flatMap((folder) =>
      filesIn(folder, /CLIENTS/),
    ),
    env: { IDS_SQL_CLIENTS: 'all' },
  },
  mongodb: {
    files: ['packages/objectid/test/integration/mongodb.test.ts'],
    missing: unset('MONGO_URL', 'a server: mongodb://127.0.0.1:27017'),
  },
  root: {
    files: [
      'packages/gpid/test/integration/namespaces.test.ts',
      'packages/local-services/test/integration/surroundings.nightly.test.ts',
      'packages/segment/test/integration/sqlite-file-systems.test.ts',
    ],
    missing: process.getuid?.() === 0 ? undefined : 'these tests must run as root, on Linux: use sudo',
  },
};

/** The tests in a folder whose text matches. */
function filesIn(folder, text = /./) {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .filter((file) => text.test(readFileSync(join(root, file), 'utf8')));
}

function unset(variable, value) {
  return process.env[variable] ? undefined : `${variable} is not set: set it to ${value}`;
}

const [name = '', ...rest] = process.argv.slice(2);
const need = Object.hasOwn(NEEDS, name) ? NEEDS[name] : undefined;
const problem =
  need === undefined
    ? `the argument must be one of ${Object.keys(NEEDS).join(', ')}, got "${name}"`
    : need.missing;
if (problem !== undefined) {
  console.error(`test:with: ${problem}`);
  process.exit(2);
}
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', ...need.files, ...rest], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...need.env, IDS_SKIPS: 'fail' },
});
process.exit(status ?? 1);
