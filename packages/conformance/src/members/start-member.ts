import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { History } from '../history.js';
import type { CallPlan } from '../record-calls.js';
import { compiledModule } from './compiled-module.js';

/** Messages to a member (a child process or worker thread): `open` first, then `go` once all are open. */
export type ToMember =
  | {
      readonly type: 'open';
      readonly module: string;
      readonly context: unknown;
      /** Whether it opens a keyed generator. */
      readonly keyed: boolean;
    }
  | { readonly type: 'go'; readonly process: number; readonly plan: CallPlan; readonly inspect: boolean }
  | { readonly type: 'stop' };

export type FromMember =
  | { readonly type: 'opened' }
  /** What happened since the last report. `noted` has one entry for each call of `note`. */
  | { readonly type: 'part'; readonly history: History; readonly noted: readonly string[] }
  /** The generator is closed. With `inspect`, the process now ends by itself, or says what keeps it. */
  | { readonly type: 'done'; readonly keptBytes?: number }
  | { readonly type: 'kept'; readonly by: readonly string[] }
  | { readonly type: 'error'; readonly stack: string };

/** Not `NodeJS.Signals`, so that the declarations compile without those of Node.js. */
export type MemberSignal = 'SIGCONT' | 'SIGINT' | 'SIGKILL' | 'SIGSTOP' | 'SIGTERM';

/** The parent's end of a child process or worker thread. */
export interface Member {
  /** The process ID; a thread has that of its parent. */
  readonly pid: number;
  send(message: ToMember): void;
  onMessage(listener: (message: FromMember) => void): void;
  /** Resolves when it has ended, with a description of how. */
  readonly ended: Promise<string>;
  /** Ends it once its work is done. */
  release(): void;
  /** Sends a signal; a thread is terminated by any signal. */
  kill(signal: MemberSignal): void;
}

/** The program of a member; TypeScript when the kit itself runs from source. */
const PROGRAM = ['./member.js', './member.ts']
  .map((name) => new URL(name, import.meta.url))
  .find((url) => existsSync(url));

/** A member's module and program as JavaScript, which they load without a compiler. */
export interface MemberModules {
  readonly program: URL;
  readonly module: URL;
}

export async function memberModules(module: URL): Promise<MemberModules> {
  if (PROGRAM === undefined) throw new Error('the program of a member is missing: build @ids/conformance');
  const [program, compiled] = await Promise.all([compiledModule(PROGRAM), compiledModule(module)]);
  return { program, module: compiled };
}

/** Starts a child process. */
export function startProcess({ program }: MemberModules): Member {
  const child = fork(program, [], {
    // Memory is measured after a collection of what nobody holds.
    execArgv: ['--enable-source-maps', '--expose-gc'],
    // The default, JSON, cannot carry bigint ids.
    serialization: 'advanced',
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('exit', (code, signal) => resolve(`ended with ${signal ?? `code ${code}`}`));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    send: (message) => {
      // A killed child receives nothing; `ended` informs whoever waits for an answer.
      if (child.connected) child.send(message, () => undefined);
    },
    onMessage: (listener) => child.on('message', listener),
    release: () => {
      if (child.connected) child.disconnect();
    },
    kill: (signal) => void child.kill(signal),
  };
}

/** Starts a worker thread. */
export function startThread({ program }: MemberModules): Member {
  const worker = new Worker(program, { execArgv: [] });
  const ended = new Promise<string>((resolve) => {
    worker.once('error', (error) => resolve(`failed: ${error.stack}`));
    worker.once('exit', (code) => resolve(`ended with code ${code}`));
  });
  return {
    pid: process.pid,
    ended,
    send: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', listener),
    release: () => void worker.terminate(),
    kill: () => void worker.terminate(),
  };
}
