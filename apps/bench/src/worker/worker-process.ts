import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Assignment, FromWorker, JobKind, Jobs, ToWorker } from './protocol.js';

const workerFile = fileURLToPath(new URL('./main.js', import.meta.url));

/** How much of a worker's standard error is kept for the report. */
const LOG_CHARACTERS = 2_000;

/** A worker did not deliver. `invalid`: it gave wrong ids, as opposed to none. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  readonly invalid: boolean;

  constructor(message: string, invalid = false) {
    super(message);
    this.invalid = invalid;
  }
}

export interface WorkerLimits {
  /** For the run's temporary files. A worker removes it when it loses its parent. */
  readonly scratchDir: string;
  /** Milliseconds from start to end; a worker that takes longer is killed. */
  readonly timeoutMs: number;
  /** Kills the worker. */
  readonly signal: AbortSignal;
}

/** A fresh process for one job. It is gone when `answer` has settled. */
export class WorkerProcess<K extends JobKind> {
  readonly ready: Promise<void>;
  readonly answer: Promise<Jobs[K]['answer']>;
  readonly #child: ChildProcess;

  constructor(assignment: Assignment & { kind: K }, { scratchDir, timeoutMs, signal }: WorkerLimits) {
    const child = fork(workerFile, [scratchDir], {
      execArgv: ['--expose-gc', '--enable-source-maps'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    let log = '';
    child.stderr?.on('data', (data) => {
      log = (log + data).slice(-LOG_CHARACTERS);
    });
    let delivered: FromWorker | undefined;
    let ready: () => void = () => {};
    this.ready = new Promise((resolve) => {
      ready = resolve;
    });
    child.on('message', (message: FromWorker) => {
      if (message.type === 'ready') ready();
      else delivered = message;
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      this.kill();
    }, timeoutMs);
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();

    this.answer = once(child, 'close').then(([code, killedBy]) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      signal.throwIfAborted();
      if (timedOut) throw new WorkerError(`hung: no end after ${timeoutMs / 1000} s`);
      if (delivered?.type === 'answer') return delivered.answer as Jobs[K]['answer'];
      if (delivered?.type === 'failed') throw new WorkerError(delivered.message, delivered.invalid);
      throw new WorkerError(`crashed (${killedBy ?? `exit code ${code}`})${log && `: ${log.trim()}`}`);
    });
    // A group waits for all of its workers in turn, so one that fails early must not count as unhandled.
    this.answer.catch(() => {});
    this.#send({ type: 'assignment', assignment });
  }

  go(): void {
    this.#send({ type: 'go' });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: ToWorker): void {
    // A worker that is already gone is reported by `answer`.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
