import { fork } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import type { FromMember, ToMember } from './member-protocol.js';

/** The parent's end of a child process or worker thread. */
export interface Member {
  /** The process id; a thread has its parent's. */
  readonly pid: number;
  send(message: ToMember): void;
  onMessage(listener: (message: FromMember) => void): void;
  /** Resolves when it has ended, with a description of how. */
  readonly ended: Promise<string>;
  /** Lets it go once its work is done. */
  release(): void;
  /** Sends a signal; a thread knows only its end. */
  kill(signal: NodeJS.Signals): void;
}

/** Named `.js`; tsx finds the `.ts` beside this file when the kit itself runs from source. */
const ENTRY = new URL('./member.js', import.meta.url);

/** Starts a child process that understands TypeScript. */
export function startProcess(): Member {
  const child = fork(ENTRY, [], {
    execArgv: ['--import', import.meta.resolve('tsx')],
    // bigint ids do not survive JSON, the default.
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
      // A child that was killed cannot be told anything; `ended` says so to whoever waits for an answer.
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
 * Starts a worker thread that understands TypeScript. A worker ignores `--import`, hence the line of script.
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
