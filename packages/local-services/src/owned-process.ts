import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pollUntil } from './poll-until.js';
import { processIdentity } from './process-identity.js';
import type { SystemUser } from './system-user.js';
import { type EndSignal, releaseProcess, watchProcess } from './watchdog.js';

export interface OwnedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to a minimal environment: the host's own PG* and LC_* variables do not reach a server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly user?: SystemUser | undefined;
  /** Standard output and error go here; what an earlier start wrote is dropped. */
  readonly logFile: string;
  readonly endSignal: EndSignal;
}

// Waits for one line on descriptor 3 before it becomes the server, with the same pid. Closing the descriptor
// without a line, as the death of this process does, ends it.
const gate = 'read -r go <&3 && exec "$@" 3<&-';

/**
 * A child process in a session of its own, so that Ctrl-C in a terminal does not reach it, which
 * never outlives this process: the watchdog knows it before the command starts to run. It does not
 * keep this process alive.
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

  /** The last lines that it printed. */
  get log(): string {
    return readFileSync(this.#logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
  }

  /** Signals the process and its children that stayed in its group; no effect when it has ended. */
  signal(signal: NodeJS.Signals): void {
    if (this.running) process.kill(-this.pid, signal);
  }

  /** Waits for the end; `null` after a signal. */
  async exitCode(): Promise<number | null> {
    this.#child.ref();
    await this.#exited;
    return this.#child.exitCode;
  }

  /**
   * Sends `signal`, also to a paused process, and resolves at its end. After 15 s without an end: SIGKILL.
   */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.signal(signal);
    this.signal('SIGCONT');
    const timer = setTimeout(() => this.signal('SIGKILL'), 15_000);
    await this.exitCode().finally(() => clearTimeout(timer));
  }

  /**
   * Resolves when `probe` answers true. Rejects with the log when the process ends first, or after
   * `timeoutMs`, in which case it is killed.
   */
  async ready(what: string, probe: () => Promise<boolean>, timeoutMs: number): Promise<void> {
    if (await pollUntil(probe, timeoutMs, () => !this.running)) return;
    const how = this.running ? `was not ready after ${timeoutMs / 1000} s` : 'ended at once';
    await this.end('SIGKILL');
    throw new StartError(what, how, this.log);
  }
}

/** A server did not come up. */
export class StartError extends Error {
  readonly addressInUse: boolean;

  constructor(what: string, how: string, log: string) {
    super(`${what} ${how}; it printed:\n${log}`);
    this.name = 'StartError';
    this.addressInUse = /address already in use/i.test(log);
  }
}
