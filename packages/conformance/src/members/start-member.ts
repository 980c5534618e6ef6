import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { History } from '../history.js';
import type { CallPlan } from '../record-calls.js';

/** Messages to a member (a child process or worker thread): `open` first, then `go` once all are open. */
export type ToMember =
  | { readonly type: 'open'; readonly module: string; readonly context: unknown }
  | { readonly type: 'go'; readonly process: number; readonly plan: CallPlan }
  | { readonly type: 'stop' };

export type FromMember =
  | { readonly type: 'opened' }
  /** What happened since the last report. `noted` has one entry for each call of `note`. */
  | { readonly type: 'part'; readonly history: History; readonly noted: readonly string[] }
  | { readonly type: 'done' }
  | { readonly type: 'error'; readonly stack: string };

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
  kill(signal: NodeJS.Signals): void;
}

/** Named `.js`; tsx finds the `.ts` file when the kit itself runs from source. */
const ENTRY = new URL('./member.js', import.meta.url);

/** Starts a child process that can load TypeScript. */
export function startProcess(): Member {
  const child = fork(ENTRY, [], {
    execArgv: ['--import', import.meta.resolve('tsx')],
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

/**
 * Starts a worker thread that can load TypeScript. A worker ignores `--import`, so a script registers tsx.
 */
export function startThread(): Member {
  const [api, entry] = [import.meta.resolve('tsx/esm/api'), ENTRY.href].map((url) => JSON.stringify(url));
  const worker = new Worker(
    `import(${api}).then(({ register }) => { register(); return import(${entry}); })`,
    {
      eval: true,
      execArgv: [],
    },
  );
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
