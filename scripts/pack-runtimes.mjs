// The installed packages in every runtime: each program of `runtimes/programs` makes ids. What ran where is
// the table in docs/runtimes.md, which must be that of this run. Those of the READMEs run in the oldest.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { startPostgres, startRedis } from '../packages/local-services/dist/index.js';
import { checkReadmes } from './pack-readmes.mjs';
import { bundles, inChromium, inWorkerd } from './runtimes/bundled.mjs';
import { checkTable } from './runtimes/table.mjs';

/** What a row of the table is called, by the name of its program. */
const PROGRAMS = {
  core: '`core`',
  encode: '`encode`',
  objectid: '`objectid`',
  'objectid-machine-pid': '`objectid/machine-pid`',
  uuid7: '`uuid7`',
  gpid: '`gpid`',
  'snowflake-tools': '`snowflake/tools`',
  snowflake: '`snowflake`, with Postgres',
  'segment-inproc': '`segment-inproc`, with Postgres',
  'segment-inproc-edge': '`segment-inproc/edge`, with D1 in workerd',
  'segment-redis-db': '`segment-redis-db`, with Redis and Postgres',
  config: '`config`',
  cli: '`cli`',
  http: '`http`, from a server on Node.js',
  server: '`server`, mounted in the runtime',
};

/** The oldest that is supported. */
const OLDEST = 'Node.js 20.19';

const platform = `${process.platform}-${process.arch}`;

/** By column: the package of the runtime, its executable in there, and the arguments before the program. */
const RUNTIMES = {
  [OLDEST]: node(20, '20.19.0'),
  ...Object.fromEntries([22, 24, 26].map((version) => [`Node.js ${version}`, node(version)])),
  'Bun 1.4': { name: 'bun', spec: 'bun@1.4.5', executable: '.bin/bun', args: ['run'] },
  'Deno 2.9': {
    name: 'deno',
    spec: 'deno@2.9.6',
    executable: '.bin/deno',
    args: ['run', '--allow-all', '--no-lock', '--node-modules-dir=manual'],
  },
};

/** What the package `node` installs; under a name of our own, so that versions stand side by side. */
function node(major, version = major) {
  const name = `node${major}`;
  return { name, spec: `${name}@npm:node-${platform}@${version}`, executable: `${name}/bin/node`, args: [] };
}

/**
 * Throws unless the table in docs/runtimes.md is that of this run; writes it with `IDS_WRITE_DOCS=1`.
 * Returns how many outcomes were compared, with the programs of READMEs that ran. `project`: where the
 * packages are installed.
 */
export async function checkRuntimes(root, project) {
  const programs = join(project, 'runtimes');
  cpSync(join(root, 'scripts/runtimes/programs'), programs, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'ids-runtimes-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const server = await startIdsServer(programs);
  const bindings = { IDS_SERVER_URL: server.url };
  const env = { ...process.env, DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...bindings };
  try {
    await install(folder);
    const columns = Object.entries(RUNTIMES).map(async ([column, runtime]) => [
      column,
      await inProcess(runtime, folder, programs, env),
    ]);
    const bundled = await bundles(programs, Object.keys(PROGRAMS));
    const readmes = checkReadmes(root, project, executable(RUNTIMES[OLDEST], folder), env);
    const [ran, ...inProcesses] = await Promise.all([readmes, ...columns]);
    const outcomes = Object.fromEntries([
      ...inProcesses,
      ['workerd', await inWorkerd(bundled, bindings)],
      ['Chromium', await inChromium(bundled, bindings)],
    ]);
    return ran + checkTable(join(root, 'docs/runtimes.md'), PROGRAMS, outcomes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all([postgres.close(), redis.close(), server.close()]);
  }
}

/** The server from which the program `http` gets ids, in a process of its own. */
async function startIdsServer(programs) {
  const child = spawn(process.execPath, [join(programs, 'ids-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const printed = once(createInterface(child.stdout), 'line').then(([url]) => url);
  const url = await Promise.race([printed, ended.then(() => undefined)]);
  if (url === undefined) throw new Error('the server of the program `http` did not start');
  return {
    url,
    close: async () => {
      child.kill();
      await ended;
    },
  };
}

async function install(folder) {
  const specs = Object.values(RUNTIMES).map(({ spec }) => spec);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...specs], { cwd: folder });
}

function executable(runtime, folder) {
  const command = join(folder, 'node_modules', runtime.executable);
  if (!existsSync(command)) throw new Error(`${command} was not installed`);
  return command;
}

async function inProcess(runtime, folder, programs, env) {
  const { stdout } = await promisify(execFile)(
    executable(runtime, folder),
    [...runtime.args, join(programs, 'driver.mjs'), ...Object.keys(PROGRAMS)],
    { cwd: programs, env },
  );
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
