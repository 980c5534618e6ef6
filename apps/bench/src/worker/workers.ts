import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CaseEnvironment } from '../cases/case.js';
import type { FromWorker, Job, ToWorker } from './job.js';

/** What all workers of a run share. */
export interface WorkerContext {
  /** The module that exports the cases. */
  readonly casesUrl: string;
  readonly environment: Omit<CaseEnvironment, 'processIndex'>;
  /** For the run's temporary files. A worker removes it when it loses its parent. */
  readonly scratchDir: string;
  /** Milliseconds from start to end; a worker that takes longer is killed. */
  readonly timeoutMs: number;
  /** Kills the worker. */
  readonly signal: AbortSignal;
}

/**
 * Runs one worker per request at the same time: all open the case first, then all start. Rejects with the
 * first failure, naming the process, after the others were killed; no worker is left when it settles.
 */
export async function runWorkers<Request, Answer>(
  job: Job<Request, Answer>,
  requests: readonly Request[],
  caseName: string | undefined,
  context: WorkerContext,
): Promise<Answer[]> {
  const workers = requests.map(
    (request, processIndex) => new WorkerProcess(job, request, { caseName, processIndex }, context),
  );
  const named = (error: unknown, index: number) => {
    if (!(error instanceof WorkerError) || workers.length === 1) return error;
    return new WorkerError(`process ${index}: ${error.message}`, error.invalid);
  };
  const answers = Promise.all(
    workers.map(({ answer }, index) => answer.catch((error) => Promise.reject(named(error, index)))),
  );
  try {
    await Promise.race([Promise.all(workers.map(({ ready }) => ready)), answers]);
    for (const worker of workers) worker.go();
    return await answers;
  } finally {
    for (const worker of workers) worker.kill();
    await Promise.allSettled(workers.map(({ answer }) => answer));
  }
}

/** A worker did not deliver. `invalid`: it issued wrong ids, as opposed to none. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
  readonly invalid: boolean;

  constructor(message: string, invalid = false) {
    super(message);
    this.invalid = invalid;
  }
}

const workerFile = fileURLToPath(new URL('./main.js', import.meta.url));

/** How much of a worker's standard error is kept for the report. */
const LOG_CHARACTERS = 2_000;

/** A fresh process for one job. It has ended when `answer` settles. */
export class WorkerProcess<Request, Answer> {
  readonly ready: Promise<void>;
  readonly answer: Promise<Answer>;
  readonly #child: ChildProcess;

  constructor(
    { module, name }: Job<Request, Answer>,
    request: Request,
    { caseName, processIndex }: { readonly caseName: string | undefined; readonly processIndex: number },
    { casesUrl, environment, scratchDir, timeoutMs, signal }: WorkerContext,
  ) {
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
    this.ready = new Promise((resolve) => {
      child.on('message', (message: FromWorker) => {
        if (message.type === 'ready') resolve();
        else delivered = message;
      });
    });
    const abort = () => this.kill();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const ended = once(child, 'close').then(([code, killedBy]) => {
      signal.removeEventListener('abort', abort);
      signal.throwIfAborted();
      if (delivered?.type === 'answer') return delivered.answer as Answer;
      if (delivered?.type === 'failed') throw new WorkerError(delivered.message, delivered.invalid);
      throw new WorkerError(`crashed (${killedBy ?? `exit code ${code}`})${log && `: ${log.trim()}`}`);
    });
    this.answer = this.within(timeoutMs, ended);
    // A group waits for all of its workers in turn, so one that fails early must not count as unhandled.
    this.answer.catch(() => {});
    const own = { ...environment, processIndex };
    const subject = caseName === undefined ? undefined : { casesUrl, name: caseName, environment: own };
    this.#send({ module, name, request, subject });
  }

  /** A part of its work. A worker that takes longer than `ms` milliseconds is killed. */
  async within<T>(ms: number, part: Promise<T>): Promise<T> {
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      this.kill();
    }, ms);
    try {
      return await part;
    } catch (error) {
      throw hung ? new WorkerError(`hung: no end after ${ms / 1_000} s`) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  go(): void {
    this.#send('go');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: ToWorker): void {
    // A worker that has already ended is reported by `answer`.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
