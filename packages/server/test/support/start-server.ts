import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../dist/bin.js', import.meta.url));

/** A process that serves a config file. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What it printed on stdout so far, in lines. */
  readonly printed: readonly string[];
  /** The entries of its log so far. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  signal(signal: NodeJS.Signals): void;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs the command in a folder with this config, to its end. */
export async function runServer(
  config: object,
  args: readonly string[],
): Promise<{ readonly code: number | NodeJS.Signals; readonly stderr: string }> {
  const folder = folderWith(config);
  const child = spawnIn(folder, args);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  try {
    return { code: await endOf(child), stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Starts the command in a folder with this config, and waits until it serves. */
export async function startServer(
  config: object,
  args: readonly string[] = ['--port', '0'],
): Promise<ServerProcess> {
  const folder = folderWith(config);
  const child = spawnIn(folder, args);
  const [printed, log, raw]: [string[], Record<string, unknown>[], string[]] = [[], [], []];
  const ended = endOf(child).finally(() => rmSync(folder, { recursive: true }));
  if (child.stdout === null || child.stderr === null) throw new TypeError('unreachable: both are pipes');
  createInterface(child.stderr).on('line', (line) => {
    raw.push(line);
    if (line.startsWith('{')) log.push(JSON.parse(line));
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout as NodeJS.ReadableStream).on('line', (line) => {
      printed.push(line);
      const [, found] = /^serves .* at (http:\S+)\/v1$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}: ${raw.join('\n')}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    printed,
    log,
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function folderWith(config: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'ids-server-'));
  writeFileSync(join(folder, 'ids.config.json'), JSON.stringify(config));
  return folder;
}

function spawnIn(cwd: string, args: readonly string[]): ChildProcess {
  const file = join(cwd, 'ids.config.json');
  return spawn(process.execPath, [BIN, '--config', file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = await once(child, 'close');
  return code ?? signal;
}
