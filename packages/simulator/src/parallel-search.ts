import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Arguments } from './arguments.js';
import type { SeedOutcome } from './run-seed.js';
import { count, noTotals, type Totals } from './search.js';
import type { ThreadMessage, ThreadTask } from './search-thread.js';

export interface ParallelSearchOptions {
  readonly args: Arguments;
  /** Called after each seed, by whichever thread it was played. */
  readonly onSeed: (outcome: SeedOutcome, soFar: Totals) => void;
  /** Aborted when somebody wants the search to end; each thread then ends its seed. */
  readonly stop: AbortSignal;
}

/**
 * Searches in several threads at once, each with seeds of its own, since each has a
 * platform of its own to replace.
 */
export async function searchInParallel({ args, onSeed, stop }: ParallelSearchOptions): Promise<Totals> {
  const start = performance.now();
  const totals = noTotals();
  const { threads } = args;
  const unused: (string | undefined)[] = [];
  const workers = Array.from({ length: threads }, (_, number) => {
    const workerData: ThreadTask = { args, number, threads };
    return new Worker(new URL('./search-thread.js', import.meta.url), { workerData });
  });
  const stopAll = () => {
    for (const worker of workers) worker.postMessage('stop');
  };
  stop.addEventListener('abort', stopAll, { once: true });
  await Promise.all(
    workers.map((worker) => {
      worker.on('message', (message: ThreadMessage) => {
        if ('unusedGuard' in message) {
          unused.push(message.unusedGuard);
          return;
        }
        count(totals, message.outcome, performance.now() - start);
        if (args.untilFailure && !message.outcome.sound) stopAll();
        onSeed(message.outcome, totals);
      });
      return once(worker, 'exit');
    }),
  );
  stop.removeEventListener('abort', stopAll);
  const [first] = unused;
  if (first !== undefined && unused.every((one) => one !== undefined)) throw new Error(first);
  return totals;
}
