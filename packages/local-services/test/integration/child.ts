import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A temporary folder that every user may enter, removed after the test. */
export async function testFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'local-services-test-'));
  await chmod(dir, 0o755);
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

export interface ChildOptions {
  /** The package's folder, or a copy of it. */
  readonly root?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * Runs a fixture in a process group of its own. Environment variables that name running
 * services are not passed.
 */
export function runFixture(name: string, args: readonly string[], options: ChildOptions = {}): ChildProcess {
  const { root = packageRoot, ...spawnOptions } = options;
  const script = join(root, 'test/integration/fixtures', name);
  const { REDIS_URL: _, DATABASE_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, ...args], {
    ...spawnOptions,
    detached: true,
    env: { ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The next line that the child prints; rejects with what it complained about when it ends instead. */
export async function nextLine(child: ChildProcess): Promise<string> {
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`the child ended with ${child.exitCode ?? child.signalCode}: ${complaint}`);
  });
  const [chunk] = await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  return String(chunk);
}

/**
 * What is left of what was started with the temporary folder `dir`: its folders there,
 * and the processes below.
 */
export async function leftovers(dir: string): Promise<string[]> {
  const processes = execFileSync('ps', ['-axww', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const folders = (await readdir(dir)).filter((name) => name.startsWith('ids-'));
  return [...folders, ...processes.filter((line) => line.includes(dir))];
}

/** The processes below the initdb that `ancestor` runs: the servers it fills the new cluster with. */
export function bootstrapServers(ancestor: number): number[] {
  const lines = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const table = lines.map((line) => line.trim().split(/\s+/));
  const below = (parents: readonly number[]) =>
    table.filter(([, parent]) => parents.includes(Number(parent)));
  const initdbs = below([ancestor]).filter(([, , name]) => name?.endsWith('initdb'));
  const shells = below(initdbs.map(([pid]) => Number(pid)));
  const direct = [...shells, ...below(shells.map(([pid]) => Number(pid)))];
  return direct.filter(([, , name]) => name?.endsWith('postgres')).map(([pid]) => Number(pid));
}
