import { setMaxListeners } from 'node:events';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { Arguments } from './arguments.js';
import { prepareRun } from './prepared-run.js';
import type { SeedOutcome } from './run-seed.js';
import { search } from './search.js';

/** What a thread is given; when it gets any message, it ends after the seed under way. */
export interface ThreadTask {
  readonly args: Arguments;
  /** Its number from 0, of `threads`: it plays every `threads`-th seed. */
  readonly number: number;
  readonly threads: number;
}

export type ThreadMessage =
  | { readonly outcome: SeedOutcome }
  /** The last one. `unusedGuard` says which part of a guard was nowhere to be switched off. */
  | { readonly unusedGuard: string | undefined };

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const { args, number, threads } = workerData as ThreadTask;
  let stopped = false;
  port.once('message', () => {
    stopped = true;
  });
  setMaxListeners(0);
  const { run, unusedGuard } = prepareRun(args);
  await search({
    ...args,
    from: args.from + number,
    step: threads,
    withRegressions: number === 0,
    run,
    stopped: () => stopped,
    onSeed: (outcome) => port.postMessage({ outcome } satisfies ThreadMessage),
  });
  port.postMessage({ unusedGuard: unusedGuard() } satisfies ThreadMessage);
  port.close();
}
