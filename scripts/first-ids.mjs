// A first-time user: for each strategy an empty folder, the packed tarballs, and the commands
// of the README of @ids/cli.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startPostgres, startRedis } from '../packages/local-services/dist/index.js';

const readme = readFileSync(fileURLToPath(new URL('../packages/cli/README.md', import.meta.url)), 'utf8');
const [install, withStores] = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands);

/** Which block the README says to follow, and the strategy that stands in it. */
const journeys = [
  { strategy: 'objectid', commands: install, written: 'objectid', looks: /^[0-9a-f]{24}$/ },
  {
    strategy: 'uuid7',
    commands: install,
    written: 'objectid',
    looks: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  },
  { strategy: 'gpid', commands: install, written: 'objectid', looks: /:0:\d+:\d+;run=[0-9a-f]{16}\/\d+$/ },
  {
    strategy: 'segment-redis-db',
    commands: installOnly(install) + withStores,
    written: 'segment-redis-db',
    looks: /^1$/,
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

async function travelAll(chosen, tarballs, servers) {
  for (const journey of chosen) {
    const id = await travel(journey, tarballs, servers);
    console.log(`from an empty folder to the first id of ${journey.strategy}: ${id}`);
  }
}

async function travel({ strategy, commands, written, looks }, tarballs, { database, redis }) {
  const cwd = mkdtempSync(join(tmpdir(), 'ids-first-id-'));
  try {
    writeFileSync(join(cwd, 'package.json'), '{}');
    const script = commands
      .replaceAll(written, strategy)
      // What it depends on comes along as tarballs too; a user would get it from the registry.
      .replace('@ids/cli', Object.values(tarballs).join(' '))
      .replace('npm install', 'npm install --no-audit --no-fund --loglevel=error')
      .replace(/=postgres:\S+/, `=${database}`)
      .replace(/=redis:\S+/, `=${redis}`);
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd });
    const id = stdout.trim().split('\n').at(-1);
    if (!looks.test(id)) throw new Error(`${strategy}: no id at the end of\n${script}\n${stdout}`);
    return id;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
