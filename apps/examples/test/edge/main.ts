/**
 * Runs the edge recipe in Bun and in Deno, and what Postgres through `Bun.sql` must do. Each runtime is
 * fetched from the npm registry for this run: about 200 MB, so no other test needs them. Exits with 1 if an
 * id is not as it must be, or if one of the two cannot be run.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@ids/local-services';
import { edgeProblems } from '../support/edge-answers.js';

const recipe = 'src/recipes/edge.ts';
const denoFlags = ['--no-lock', '--node-modules-dir=manual', '--host', '127.0.0.1', '--port', '0'];
const runtimes = {
  bun: ['bun@1.4.5', 'bun', 'run', recipe],
  deno: ['deno@2.9.6', 'deno', 'serve', ...denoFlags, recipe],
} as const;

type Server = ChildProcessByStdio<null, Readable, Readable>;

const cwd = fileURLToPath(new URL('../..', import.meta.url));

/** In a process group of its own, since npx does not pass signals on to what it runs. */
function start([version, ...command]: readonly string[]): Server {
  return spawn('npx', ['--yes', '-p', version ?? '', '--', ...command], {
    cwd,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** The address that a server writes when it listens; rejects with all that it wrote if it ends before. */
function addressOf(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = '';
    for (const output of [server.stdout, server.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        written += text;
        const [, address] = /(?:server:|Listening on) (http:\S+)\s/.exec(written) ?? [];
        if (address !== undefined) resolve(address);
      });
    }
    server.once('error', reject);
    server.once('close', (code) => {
      reject(new Error(`it ended with code ${code} before it listened:\n${written}`));
    });
  });
}

for (const [name, command] of Object.entries(runtimes)) {
  const server = start(command);
  try {
    const address = await addressOf(server);
    const problems = await edgeProblems(() => fetch(address, { signal: AbortSignal.timeout(60_000) }));
    for (const problem of problems) console.error(`${name}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    else console.log(`${name}: ids rise, with the time of each request (${command[0]})`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`${name}: ${error}\nTo get it: npx --yes ${command[0]} --version`);
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid);
  }
}

await using postgres = await startPostgres();
const [version, name] = runtimes.bun;
const contracts = spawn('npx', ['--yes', '-p', version, '--', name, 'run', 'test/edge/bun-sql.ts'], {
  cwd,
  env: { ...process.env, DATABASE_URL: postgres.url },
  stdio: 'inherit',
});
const [code] = await once(contracts, 'close');
if (code !== 0) process.exitCode = 1;
