import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import { pollUntil } from './poll-until.js';
import { type EndSignal, processIdentity, releaseProcess, watchProcess } from './watchdog.js';

/** The user that a command runs as, where it is not the user of this process. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** Not `NodeJS.Signals`, so that the declarations compile without those of Node.js. */
type Signal = 'SIGCONT' | 'SIGINT' | 'SIGKILL' | 'SIGQUIT' | 'SIGSTOP' | 'SIGTERM';

export interface OwnedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to a minimal environment: PG* and LC_* variables of the host do not reach a server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: SystemUser | undefined;
  /** Standard output and error go here; output of an earlier start is dropped. */
  readonly logFile: string;
  readonly endSignal: EndSignal;
}

// Waits for one line on descriptor 3, then becomes the server with the same PID. If the descriptor is closed
// without a line, as when this process dies, it ends.
const gate = 'read -r go <&3 && exec "$@" 3<&-';

/**
 * A child process that never outlives this process: the watchdog knows about it before the command starts. It
 * has its own session, so Ctrl-C in a terminal does not reach it. It does not keep this process alive.
 */
export class OwnedProcess {
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess, pid: number, logFile: string) {
    this.#child = child;
    this.pid = pid;
    this.#logFile = logFile;
    this.#exited = once(child, 'exit').then(() => releaseProcess(pid));
  }

  static async start({
    command,
    args,
    cwd,
    env,
    user,
    logFile,
    endSignal,
  }: OwnedCommand): Promise<OwnedProcess> {
    const log = openSync(logFile, 'w', 0o600);
    const child = spawn('/bin/sh', ['-c', gate, 'sh', command, ...args], {
      cwd,
      detached: true,
      env: { PATH: process.env.PATH, LC_ALL: 'C', ...env },
      stdio: ['ignore', log, log, 'pipe'],
      ...user,
    });
    closeSync(log);
    await once(child, 'spawn');
    const identity = child.pid === undefined ? undefined : processIdentity(child.pid);
    if (child.pid === undefined || identity === undefined) throw new Error(`${command} could not be started`);
    const owned = new OwnedProcess(child, child.pid, logFile);
    await watchProcess(child.pid, identity, endSignal);
    (child.stdio[3] as Writable).end('go\n');
    child.unref();
    return owned;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The last lines of its output. */
  get log(): string {
    return readFileSync(this.#logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
  }

  /** Signals the process and the children in its process group; no effect after its end. */
  signal(signal: Signal): void {
    if (this.running) process.kill(-this.pid, signal);
  }

  /** Waits for the end; `null` if a signal ended it. */
  async exitCode(): Promise<number | null> {
    this.#child.ref();
    await this.#exited;
    return this.#child.exitCode;
  }

  /** Sends `signal`, resumes a paused process, and resolves at its end. Sends SIGKILL after 15 s. */
  async end(signal: Signal): Promise<void> {
    this.signal(signal);
    this.signal('SIGCONT');
    const timer = setTimeout(() => this.signal('SIGKILL'), 15_000);
    await this.exitCode().finally(() => clearTimeout(timer));
  }

  /**
   * Resolves when `probe` returns true. If the process ends first or `timeoutMs` pass, kills it and rejects
   * with its log.
   */
  async ready(what: string, probe: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    if (await pollUntil(probe, timeoutMs, () => !this.running)) return;
    const how = this.running ? `was not ready after ${timeoutMs / 1000} s` : 'ended at once';
    await this.end('SIGKILL');
    throw new StartError(what, how, this.log);
  }
}

/** A server did not start. */
export class StartError extends Error {
  readonly addressInUse: boolean;

  constructor(what: string, how: string, log: string) {
    super(`${what} ${how}; it printed:\n${log}`);
    this.name = 'StartError';
    this.addressInUse = /address already in use/i.test(log);
  }
}

interface CommandOptions {
  /** A folder that the command can enter; its output goes to a file there. */
  readonly dir: string;
  readonly user?: SystemUser | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** `KILL` by default. */
  readonly endSignal?: EndSignal;
}

/**
 * Runs a command to its end, for at most `timeoutMs`. It does not outlive this process (see `endSignal`).
 * Rejects with the last lines of its output unless its exit code is 0.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const { dir, user, env, timeoutMs, endSignal = 'KILL' } = options;
  const logFile = join(dir, `${randomBytes(4).toString('hex')}.log`);
  const child = await OwnedProcess.start({ command, args, cwd: dir, user, env, logFile, endSignal });
  const timer = setTimeout(() => child.signal('SIGKILL'), timeoutMs);
  const code = await child.exitCode().finally(() => clearTimeout(timer));
  if (code !== 0) {
    const how = code === null ? `did not end within ${timeoutMs / 1000} s` : `ended with code ${code}`;
    throw new Error(`${command} ${how}; it printed:\n${child.log}`);
  }
}

/** The absolute path of an executable file on PATH. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isExecutableFile);
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
