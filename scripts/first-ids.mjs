// A first-time user: for each strategy a folder without a config, the packed tarballs, and the commands of
// the README of @ids/cli.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres, startRedis } from '../packages/local-services/dist/index.js';

const readme = readFileSync(fileURLToPath(new URL('../packages/cli/README.md', import.meta.url)), 'utf8');
const [install, onFile, withStores] = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(
  ([, commands]) => commands,
);

/** Which block the README says to follow, and the strategy that stands in it. */
const journeys = [
  {
    strategy: 'objectid',
    commands: install,
    written: 'objectid',
    looks: /^[0-9a-f]{24}$/,
    // For the file below, on a Node.js that has no driver.
    has: ['libsql'],
  },
  {
    strategy: 'uuid7',
    commands: install,
    written: 'objectid',
    looks: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  },
  { strategy: 'gpid', commands: install, written: 'objectid', looks: /:0:\d+:\d+;run=[0-9a-f]{16}\/\d+$/ },
  {
    strategy: 'segment-inproc',
    commands: installOnly(install) + onFile,
    written: 'segment-inproc',
    looks: /^1$/,
  },
  {
    strategy: 'segment-redis-db',
    commands: installOnly(install) + withStores,
    written: 'segment-redis-db',
    looks: /^1$/,
    // An application with an older driver, which its ORM asks for.
    has: ['typeorm', 'ioredis@5', 'valibot@1'],
    once: ['ioredis', 'pg', 'valibot'],
  },
  {
    strategy: 'segment-inproc',
    commands: installOnly(install) + withStores,
    written: 'segment-redis-db',
    looks: /^[1-9]\d*$/,
  },
  {
    strategy: 'snowflake',
    commands: installOnly(install) + withStores,
    written: 'segment-redis-db',
    looks: /^[1-9]\d{17}$/,
  },
];

function installOnly(commands) {
  return commands.match(/^npm install .*\n/m)[0];
}

/** Runs all journeys; throws when one does not end in an id. `tarballs`: file: specifiers by package name. */
export async function firstIds(tarballs) {
  const postgres = await startPostgres();
  const redis = await startRedis();
  try {
    const servers = { database: postgres.url, redis: redis.url };
    // At the same time, since most of it waits for the registry. Those on servers follow each other: they
    // share a table, of which the first one gets the first number.
    const ends = await Promise.allSettled([
      travelAll(journeys.filter(onServers), tarballs, servers),
      travelAll(
        journeys.filter((journey) => !onServers(journey)),
        tarballs,
        servers,
      ),
    ]);
    for (const { reason } of ends) if (reason !== undefined) throw reason;
  } finally {
    await Promise.all([redis.close(), postgres.close()]);
  }
  return journeys.length;
}

function onServers({ written }) {
  return written === 'segment-redis-db';
}

/** One after the other in one folder: the first journey installs, the others begin with what it installed. */
async function travelAll(chosen, tarballs, servers) {
  const cwd = mkdtempSync(join(tmpdir(), 'ids-first-id-'));
  try {
    writeFileSync(join(cwd, 'package.json'), '{}');
    for (const [index, journey] of chosen.entries()) {
      const id = await travel(journey, index === 0, cwd, tarballs, servers);
      console.log(`from an empty folder to the first id of ${journey.strategy}: ${id}`);
      for (const name of readdirSync(cwd)) if (name.startsWith('ids.')) rmSync(join(cwd, name));
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function travel(journey, isFirst, cwd, tarballs, { database, redis }) {
  const { strategy, commands, written, looks, has = [], once = [] } = journey;
  const install = installOnly(commands)
    // What it depends on comes along as tarballs too; a user would get it from the registry.
    .replace('@ids/cli', [...Object.values(tarballs), ...has].join(' '))
    .replace('npm install', 'npm install --no-audit --no-fund --loglevel=error');
  const script = commands
    .replace(installOnly(commands), isFirst ? install : '')
    .replaceAll(written, strategy)
    .replace(/=postgres:\S+/, `=${database}`)
    .replace(/=redis:\S+/, `=${redis}`);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd });
  const id = stdout.trim().split('\n').at(-1);
  if (!looks.test(id)) throw new Error(`${strategy}: no id at the end of\n${script}\n${stdout}`);
  checkIsDependency(cwd);
  for (const name of once) checkInstalledOnce(cwd, name);
  return id;
}

/** Images are built without devDependencies. */
function checkIsDependency(cwd) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  if (!('@ids/cli' in dependencies)) throw new Error('the README must install @ids/cli as a dependency');
}

function checkInstalledOnce(cwd, name) {
  const { packages } = JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8'));
  const copies = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`));
  if (copies.length !== 1) throw new Error(`${name} must be installed once, but is at ${copies.join(', ')}`);
}
