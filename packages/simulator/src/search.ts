import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Arguments } from './arguments.js';
import { guardNamed } from './guards.js';
import { type RunOptions, runSeed, type SeedOutcome } from './run-seed.js';
import { withoutGuard } from './without-guard.js';

export interface ParallelSearchOptions {
  readonly args: Arguments;
  /** Called after each seed, whichever thread played it. */
  readonly onSeed: (outcome: SeedOutcome, soFar: Totals) => void;
  /** Aborted to end the search; each thread finishes its current seed. */
  readonly stop: AbortSignal;
}

/** The task of a thread; any message makes it end after the current seed. */
export interface ThreadTask {
  readonly args: Arguments;
  /** Its number, from 0, among `threads`: it plays every `threads`-th seed. */
  readonly number: number;
  readonly threads: number;
}

export type ThreadMessage =
  | { readonly outcome: SeedOutcome }
  /** The last message. `unusedGuard` says which part of a guard was not found. */
  | { readonly unusedGuard: string | undefined };

/**
 * Searches in several threads at once, each with its own seeds: each thread has a separate platform to
 * replace.
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

export interface SearchOptions {
  readonly from: number;
  /** The distance from one fresh seed to the next: how many searches share the seeds. */
  readonly step: number;
  readonly forMs: number;
  readonly untilFailure: boolean;
  readonly run: RunOptions;
  /** Called after each seed. */
  readonly onSeed: (outcome: SeedOutcome, soFar: Totals) => Promise<void> | void;
  /** Whether the search should end. */
  readonly stopped: () => boolean;
}

export interface Totals {
  seeds: number;
  ids: number;
  calls: number;
  faults: number;
  readonly failed: number[];
  /** In real milliseconds. */
  tookMs: number;
}

/** The real clock, captured before any run replaces it with a virtual one. */
const realNow = performance.now.bind(performance);

/** Plays seeds from `from` on until the time is up. One search at a time per thread. */
export async function search(options: SearchOptions): Promise<Totals> {
  const { forMs, untilFailure, run, onSeed, stopped } = options;
  const start = realNow();
  const totals = noTotals();
  for (let seed = options.from; ; seed += options.step) {
    if (stopped() || totals.tookMs >= forMs || (untilFailure && totals.failed.length > 0)) break;
    const outcome = await runSeed(seed, run);
    count(totals, outcome, realNow() - start);
    await onSeed(outcome, totals);
  }
  return totals;
}

function noTotals(): Totals {
  return { seeds: 0, ids: 0, calls: 0, faults: 0, failed: [], tookMs: 0 };
}

function count(totals: Totals, { seed, ids, calls, faultPositions, sound }: SeedOutcome, tookMs: number) {
  totals.seeds++;
  totals.ids += ids;
  totals.calls += calls;
  totals.faults += faultPositions.length;
  if (!sound) totals.failed.push(seed);
  totals.tookMs = tookMs;
}

export interface PreparedRun {
  readonly run: RunOptions;
  /**
   * A message if part of the guard that should be off was not found; undefined if it was off, or if none
   * should be.
   */
  unusedGuard(): string | undefined;
}

/** How to play each seed, according to the command line. */
export function prepareRun({ guard: name, only, processes, sequences }: Arguments): PreparedRun {
  const guard = name === undefined ? undefined : withoutGuard(guardNamed(name));
  return {
    run: { wraps: guard?.wraps, only, processes, sequences },
    unusedGuard: () => guard?.unused(),
  };
}
