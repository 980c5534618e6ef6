import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Arguments } from './arguments.js';
import { EncounterTable } from './encounters.js';
import { guardNamed, KEYED_GUARDS } from './guards.js';
import { runKeyedSeed } from './keyed/run-keyed-seed.js';
import type { GameName, SeedOutcome } from './play-seed.js';
import { runSeed } from './run-seed.js';
import { withoutGuard } from './without-guard.js';
import type { Wraps } from './world/base-world.js';

export interface ParallelSearchOptions {
  readonly args: Arguments;
  /** The kind of findings that breaks a seed; undefined: any kind. */
  readonly breaks?: string | undefined;
  /** Called after each seed, whichever thread played it. */
  readonly onSeed: (outcome: SeedOutcome, soFar: Totals) => void;
  /** Aborted to end the search; each thread finishes its current seed. */
  readonly stop: AbortSignal;
}

/** The task of a thread; any message makes it end after the current seed. */
export interface ThreadTask {
  readonly args: Arguments;
  readonly breaks: string | undefined;
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
export async function searchInParallel(options: ParallelSearchOptions): Promise<Totals> {
  const { args, breaks, onSeed, stop } = options;
  const start = performance.now();
  const totals = noTotals();
  const { threads } = args;
  const unused: (string | undefined)[] = [];
  const workers = Array.from({ length: threads }, (_, number) => {
    const workerData: ThreadTask = { args, breaks, number, threads };
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
        count(totals, message.outcome, breaks, performance.now() - start);
        if (args.untilFailure && totals.failed.length > 0) stopAll();
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
  /** The seed to end before; may be Infinity. */
  readonly to: number;
  /** The distance from one fresh seed to the next: how many searches share the seeds. */
  readonly step: number;
  readonly forMs: number;
  readonly untilFailure: boolean;
  /** The kind of findings that breaks a seed; undefined: any kind. */
  readonly breaks?: string | undefined;
  readonly run: SeedRun;
  /** Called after each seed. */
  readonly onSeed: (outcome: SeedOutcome, soFar: Totals) => Promise<void> | void;
  /** Whether the search should end. */
  readonly stopped: () => boolean;
}

export interface Totals {
  seeds: number;
  /** Seeds with findings that were tolerated. */
  tolerated: number;
  ids: number;
  calls: number;
  faults: number;
  readonly failed: number[];
  /** Those of worlds with sequences, and with sequences by key. */
  readonly encounters: Readonly<Record<GameName, EncounterTable>>;
  /** In real milliseconds. */
  tookMs: number;
}

/** The real clock, captured before any run replaces it with a virtual one. */
const realNow = performance.now.bind(performance);

/** Plays seeds until the last one, or until the time is up. One search at a time per thread. */
export async function search(options: SearchOptions): Promise<Totals> {
  const { to, forMs, untilFailure, breaks, run, onSeed, stopped } = options;
  const start = realNow();
  const totals = noTotals();
  for (let seed = options.from; seed < to; seed += options.step) {
    if (stopped() || totals.tookMs >= forMs || (untilFailure && totals.failed.length > 0)) break;
    const outcome = await run(seed, {});
    count(totals, outcome, breaks, realNow() - start);
    await onSeed(outcome, totals);
  }
  return totals;
}

function noTotals(): Totals {
  return {
    seeds: 0,
    tolerated: 0,
    ids: 0,
    calls: 0,
    faults: 0,
    failed: [],
    encounters: { sequences: new EncounterTable(), keys: new EncounterTable() },
    tookMs: 0,
  };
}

function count(totals: Totals, outcome: SeedOutcome, breaks: string | undefined, tookMs: number) {
  const { seed, ids, calls, faultPositions, sound, tolerated, counts, encounters } = outcome;
  totals.seeds++;
  if (tolerated.length > 0) totals.tolerated++;
  totals.ids += ids;
  totals.calls += calls;
  totals.faults += faultPositions.length;
  const broken = breaks === undefined ? !sound : counts[breaks] !== undefined;
  if (broken) totals.failed.push(seed);
  totals.encounters[outcome.game].add(encounters);
  totals.tookMs = tookMs;
}

/** Plays a seed, with all of its faults or with those in `only`. */
export type SeedRun = (
  seed: number,
  options: { readonly only?: ReadonlySet<number> | undefined; readonly keepTrace?: boolean },
) => Promise<SeedOutcome>;

/** Without `--keyed`, every seed that this divides has sequences by key. */
const KEYED_EVERY = 4;

/** Whether a seed is played with sequences by key. A seed that is named is not, unless that is said, too. */
export function isKeyed({ keyed, guard, seed: named, sequences }: Arguments, seed: number): boolean {
  if (keyed) return true;
  if (guard !== undefined) return KEYED_GUARDS.some(({ name }) => name === guard);
  return named === undefined && sequences === undefined && seed % KEYED_EVERY === 0;
}

export interface PreparedRun {
  readonly run: SeedRun;
  /** The same with every guard. */
  readonly withGuards: SeedRun;
  /**
   * A message if part of the guard that should be off was not found; undefined if it was off, or if none
   * should be.
   */
  unusedGuard(): string | undefined;
}

/** How to play each seed, according to the command line. */
export function prepareRun(args: Arguments): PreparedRun {
  const { guard: name, processes, sequences, tolerate } = args;
  const guard = name === undefined ? undefined : withoutGuard(guardNamed(name));
  const runWith =
    (wraps: (() => Wraps) | undefined): SeedRun =>
    (seed, { only = args.only, keepTrace }) => {
      const options = { wraps, only, processes, tolerate, keepTrace };
      return isKeyed(args, seed) ? runKeyedSeed(seed, options) : runSeed(seed, { ...options, sequences });
    };
  return {
    run: runWith(guard?.wraps),
    withGuards: runWith(undefined),
    unusedGuard: () => guard?.unused(),
  };
}
