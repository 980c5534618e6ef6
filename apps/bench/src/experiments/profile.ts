import type { LoopSetting } from '../schema/figures.js';
import type { BenchResult } from '../schema/run.js';

/** The setting in the decision table. */
export const HEADLINE: LoopSetting = { concurrency: 16, batch: 1 };

export const LOOP_SETTINGS: readonly LoopSetting[] = [
  { concurrency: 1, batch: 1 },
  HEADLINE,
  { concurrency: 256, batch: 1 },
  { concurrency: 16, batch: 100 },
];

/** The rates of open loops: shares of what closed loops achieved. */
export const LOAD_SHARES = [0.5, 0.8, 0.95] as const;

/**
 * Milliseconds on an idle core to start a process, to open a case in it and to warm it up. From runs on two
 * cores, like all that is planned for a step.
 */
export const PROCESS_MS = 300;

/** The default, and what each size means. */
const quick = {
  /** Fresh processes per case for in-memory bursts; each is one block of the paired comparison. */
  syncBlocks: 5,
  /** Timed calls per process and measure, at most, and milliseconds after which to stop earlier. */
  sync: { calls: 200, maxMs: 60 },
  /** Fresh processes per case for closed loops, and milliseconds per loop. */
  loopBlocks: 5,
  loopMs: 120,
  /** Fresh processes per case for open loops, and milliseconds per rate. */
  openLoop: { blocks: 2, ms: 400 },
  /** Milliseconds at the rate that the service needs: up to the most where it takes so long for a p99. */
  atRateMs: { least: 5_500, most: 10_000 },
  /** Milliseconds from the first ids of a process to the later ones. */
  slowdownMs: 5_000,
  /** In all processes together: for strategies in memory, and for those with a round trip per call. */
  uniqueIds: { memory: 5_000_000, remote: 500_000 },
  /** Per process. */
  order: { calls: 20_000, windowMs: 1_500, concurrency: 8 },
  /** `bench faults`: for how many milliseconds to request ids, if a server is away and if none is. */
  soakMs: { outage: 6_000, brief: 2_500 },
  /** Milliseconds after which a worker is considered hung. */
  timeoutMs: { trial: 60_000, uniqueness: 240_000 },
};

/** How much to measure. */
export type Profile = typeof quick & { readonly name: BenchResult['profile'] };

export const profiles: Readonly<Record<Profile['name'], Profile>> = {
  quick: { name: 'quick', ...quick },
  full: {
    name: 'full',
    syncBlocks: 25,
    sync: { calls: 1_000, maxMs: 500 },
    loopBlocks: 15,
    loopMs: 1_000,
    openLoop: { blocks: 9, ms: 3_000 },
    atRateMs: { least: 10_000, most: 10_000 },
    slowdownMs: 30_000,
    uniqueIds: { memory: 100_000_000, remote: 10_000_000 },
    order: { calls: 100_000, windowMs: 10_000, concurrency: 8 },
    soakMs: { outage: 20_000, brief: 5_000 },
    timeoutMs: { trial: 120_000, uniqueness: 1_200_000 },
  },
  smoke: {
    name: 'smoke',
    syncBlocks: 1,
    sync: { calls: 20, maxMs: 10 },
    loopBlocks: 1,
    loopMs: 30,
    openLoop: { blocks: 1, ms: 60 },
    atRateMs: { least: 100, most: 500 },
    slowdownMs: 500,
    uniqueIds: { memory: 40_000, remote: 20_000 },
    order: { calls: 1_000, windowMs: 200, concurrency: 8 },
    soakMs: { outage: 3_500, brief: 1_500 },
    timeoutMs: { trial: 20_000, uniqueness: 60_000 },
  },
};
