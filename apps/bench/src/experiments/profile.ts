import type { LoopSetting } from '../schema/figures.js';
import type { Profile } from '../schema/run.js';

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

export const profiles: Readonly<Record<Profile['name'], Profile>> = {
  quick: {
    name: 'quick',
    syncBlocks: 5,
    sync: { calls: 200, maxMs: 60 },
    loopBlocks: 5,
    loopMs: 120,
    openLoop: { blocks: 2, ms: 400 },
    atRateMs: 5_500,
    slowdownMs: 5_000,
    uniqueIds: { memory: 5_000_000, remote: 500_000 },
    order: { calls: 20_000, windowMs: 1_500, concurrency: 8 },
    claims: { blocks: 9, ms: 250 },
    soakMs: { outage: 6_000, brief: 2_500 },
    indexRows: 100_000,
    timeoutMs: { trial: 60_000, uniqueness: 240_000 },
  },
  full: {
    name: 'full',
    syncBlocks: 25,
    sync: { calls: 1_000, maxMs: 500 },
    loopBlocks: 15,
    loopMs: 1_000,
    openLoop: { blocks: 9, ms: 3_000 },
    atRateMs: 10_000,
    slowdownMs: 30_000,
    uniqueIds: { memory: 100_000_000, remote: 10_000_000 },
    order: { calls: 100_000, windowMs: 10_000, concurrency: 8 },
    claims: { blocks: 49, ms: 400 },
    soakMs: { outage: 20_000, brief: 5_000 },
    indexRows: 1_000_000,
    timeoutMs: { trial: 120_000, uniqueness: 1_200_000 },
  },
  smoke: {
    name: 'smoke',
    syncBlocks: 1,
    sync: { calls: 20, maxMs: 10 },
    loopBlocks: 1,
    loopMs: 30,
    openLoop: { blocks: 1, ms: 60 },
    atRateMs: 100,
    slowdownMs: 500,
    uniqueIds: { memory: 40_000, remote: 20_000 },
    order: { calls: 1_000, windowMs: 200, concurrency: 8 },
    claims: { blocks: 1, ms: 40 },
    soakMs: { outage: 3_500, brief: 1_500 },
    indexRows: 4_000,
    timeoutMs: { trial: 20_000, uniqueness: 60_000 },
  },
};
