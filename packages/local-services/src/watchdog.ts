import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { watchdogScript } from './watchdog-script.js';

/**
 * How the watchdog ends a process: at once, or for Postgres with QUIT, which gives its shared memory back, or
 * with CONT not at all: what ends soon by itself is waited for, and killed if it does not.
 */
export type EndSignal = 'KILL' | 'QUIT' | 'CONT';
type Watchdog = ChildProcessByStdio<Writable, null, null>;

const entries = new Map<string, string>();
let running: Watchdog | undefined;

/**
 * Has the process group of `pid` ended with `signal` when this process is gone, unless released before.
 * Resolves once the watchdog is sure to learn it, even if this process dies in the same instant.
 */
export function watchProcess(pid: number, identity: string, signal: EndSignal): Promise<void> {
  entries.set(`p${pid}`, `p ${pid} ${signal} ${identity}`);
  return tell();
}

/** Undoes {@link watchProcess}; harmless when there is nothing to undo. */
export function releaseProcess(pid: number): Promise<void> {
  return entries.delete(`p${pid}`) ? tell() : Promise.resolve();
}

/** Has the folder removed when this process is gone, unless released before. `path` is absolute. */
export function watchDir(path: string): Promise<void> {
  if (!path.startsWith('/') || path.includes('\n')) {
    throw new Error(
      `temporary folder ${JSON.stringify(path)}: an absolute path without line breaks is needed`,
    );
  }
  entries.set(`d${path}`, `d ${path}`);
  return tell();
}

/** Undoes {@link watchDir}. */
export function releaseDir(path: string): Promise<void> {
  entries.delete(`d${path}`);
  return tell();
}

async function tell(): Promise<void> {
  try {
    await writeState();
  } catch {
    // Somebody ended the watchdog; its successor is told everything.
    await writeState();
  }
}

function writeState(): Promise<void> {
  running ??= start();
  const { stdin } = running;
  const block = [...entries.values(), 'end', ''].join('\n');
  return new Promise((resolve, reject) => stdin.write(block, (error) => (error ? reject(error) : resolve())));
}

function start(): Watchdog {
  // Its own session: Ctrl-C and a closing terminal reach the foreground group only.
  const child = spawn('/bin/sh', ['-c', watchdogScript], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const forget = () => {
    if (running === child) running = undefined;
  };
  child.on('exit', forget);
  child.on('error', forget);
  child.stdin.on('error', forget);
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
