import { type RunOptions, runSeed, type SeedOutcome } from './run-seed.js';

/**
 * Seeds that failed once, with what they found: each search plays them first, and they must be sound.
 * A change of how plans are drawn gives a seed another history; those of a list made before it are
 * then seeds like any other.
 */
const REGRESSIONS: readonly { readonly found: string; readonly seeds: readonly number[] }[] = [
  {
    found: 'a take that was sent again began its generation a second time, after two losses of the hash',
    seeds: [132],
  },
  {
    found: 'a reservation that missed the row, with a failover of the table since, was refused for good',
    seeds: [85],
  },
  {
    found: 'a source that had refused for good was not asked again before the process ran out of ids',
    seeds: [3_024_629_774],
  },
  {
    found: 'a hash that was put back had no room for what its bookings waited for, again and again',
    seeds: [3_024_628_463],
  },
  {
    found: 'a ticket was used whose debt an own segment, on its way to the hash, was to serve',
    seeds: [3_188_179_086],
  },
  {
    found: 'health was ok or not-ready for seconds in which no call got an id',
    seeds: [3_188_179_346, 3_188_182_932, 3_188_185_720, 3_188_186_269, 3_188_186_588, 3_188_191_155],
  },
];

export interface SearchOptions {
  readonly from: number;
  /** From one fresh seed to the next: how many searches share the seeds. */
  readonly step: number;
  /** Whether the seeds that failed once are played first. */
  readonly withRegressions: boolean;
  readonly forMs: number;
  readonly untilFailure: boolean;
  readonly run: RunOptions;
  /** Called after each seed. */
  readonly onSeed: (outcome: SeedOutcome, soFar: Totals) => Promise<void> | void;
  /** Whether somebody wants the search to end. */
  readonly stopped: () => boolean;
}

export interface Totals {
  seeds: number;
  ids: number;
  calls: number;
  faults: number;
  readonly failed: number[];
  /** Real milliseconds. */
  tookMs: number;
}

/** A reading of the real clock, taken before any run puts a virtual one in its place. */
const realNow = performance.now.bind(performance);

/** Plays seeds from `from` on, until the time is over. One search at a time in a thread. */
export async function search(options: SearchOptions): Promise<Totals> {
  const { forMs, untilFailure, run, onSeed, stopped } = options;
  const start = realNow();
  const totals = noTotals();
  for (const seed of seedsOf(options)) {
    if (stopped() || totals.tookMs >= forMs || (untilFailure && totals.failed.length > 0)) break;
    const outcome = await runSeed(seed, run);
    count(totals, outcome, realNow() - start);
    await onSeed(outcome, totals);
  }
  return totals;
}

export function noTotals(): Totals {
  return { seeds: 0, ids: 0, calls: 0, faults: 0, failed: [], tookMs: 0 };
}

export function count(
  totals: Totals,
  { seed, ids, calls, faultPositions, sound }: SeedOutcome,
  tookMs: number,
) {
  totals.seeds++;
  totals.ids += ids;
  totals.calls += calls;
  totals.faults += faultPositions.length;
  if (!sound) totals.failed.push(seed);
  totals.tookMs = tookMs;
}

function* seedsOf({ from, step, withRegressions }: SearchOptions): Generator<number> {
  if (withRegressions) for (const { seeds } of REGRESSIONS) yield* seeds;
  for (let seed = from; ; seed += step) yield seed;
}
