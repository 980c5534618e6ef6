// `pnpm nightly [JOB...]`: what takes too long for each push, or is judged by time, memory or chance. Runs
// all jobs, or those that are named, one after the other, also after one that failed, and ends with a table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JOBS } from './nightly/jobs.js';

const NAMES = Object.keys(JOBS);
const HELP = `pnpm nightly [JOB...]

Runs these jobs, or those that are named, one after the other. The output of each goes to a file.

${NAMES.map((name) => `  ${name.padEnd(11)} ${JOBS[name]?.shows}`).join('\n')}

Exits with 1 if a job failed, with 2 if the arguments are wrong, with 130 after Ctrl-C.`;

interface Row {
  readonly name: string;
  readonly result: string;
  readonly seconds: number;
  readonly log: string;
}

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

/** In a process group of its own, so that an interrupt ends all that it started. */
async function runCommand(command: string, env: NodeJS.ProcessEnv, log: string): Promise<number> {
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env });
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const interrupt = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  };
  stop.signal.addEventListener('abort', interrupt, { once: true });
  const [code] = await once(child, 'close');
  stop.signal.removeEventListener('abort', interrupt);
  output.end();
  return code ?? 1;
}

async function runJob(name: string, folder: string): Promise<Row> {
  const { command, env } = JOBS[name] ?? { command: '' };
  const log = join(folder, `${name}.log`);
  const start = performance.now();
  console.log(`== ${name}: ${command} (${new Date().toTimeString().slice(0, 5)})`);
  const code = await runCommand(command, { ...process.env, IDS_BUILT: '1', ...env }, log);
  const result = stop.signal.aborted ? 'stopped' : code === 0 ? 'passed' : `failed (exit ${code})`;
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(`   ${result} after ${seconds} s`);
  return { name, result, seconds, log };
}

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  console.log(HELP);
} else {
  const unknown = args.find((name) => !Object.hasOwn(JOBS, name));
  if (unknown !== undefined) {
    console.error(`nightly: JOB must be one of ${NAMES.join(', ')}, got "${unknown}"\n\n${HELP}`);
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'ids-nightly-'));
  const rows: Row[] = [];
  const build = join(folder, 'build.log');
  console.log('== build');
  if ((await runCommand('pnpm build --continue', process.env, build)) !== 0) {
    rows.push({ name: 'build', result: 'failed', seconds: 0, log: build });
  }
  for (const name of args.length > 0 ? args : NAMES) {
    if (!stop.signal.aborted) rows.push(await runJob(name, folder));
  }
  console.log('\njob          result            seconds  output');
  for (const { name, result, seconds, log } of rows) {
    console.log(`${name.padEnd(12)} ${result.padEnd(17)} ${String(seconds).padStart(7)}  ${log}`);
  }
  process.exitCode = stop.signal.aborted ? 130 : rows.every(({ result }) => result === 'passed') ? 0 : 1;
}
