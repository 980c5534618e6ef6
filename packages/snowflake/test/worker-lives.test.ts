import { describe, expect, it } from 'vitest';
import { WORKER_AHEAD_MS } from '../src/worker/worker-time.js';
import {
  runManyLives,
  type WorkerRunOptions,
  withoutLookingBack,
  withoutTheBound,
  withoutTheWait,
} from './support/worker-lives.js';

const runs = process.env.IDS_FULL ? 2_000 : 25;
const LAYOUTS = ['41+6+6', '31s+8+14'] as const;
const SET_BACK = { setBackMs: 4_000 };

describe.each(LAYOUTS)('lives of one fixed worker, one after the other, with the layout %s', (layout) => {
  it.each([
    ['bursts and kills', {}],
    ['a clock that is set back while they run', SET_BACK],
  ] as const)('repeat nothing under %s', (_, options) => {
    const { ids, repeats, ahead, shortages } = runManyLives(runs, { layout, ...options });
    expect(repeats).toBe(0);
    expect(ids).toBeGreaterThan(200 * runs);
    expect(shortages).toBeGreaterThan(runs);
    // What was leased before the clock went back is still used.
    if (!('setBackMs' in options)) expect(ahead).toBeLessThan(WORKER_AHEAD_MS);
  });

  it.each<readonly [string, Partial<WorkerRunOptions>]>([
    ['they begin at the clock of their start', withoutTheWait],
    ['nothing bounds how far they run ahead of the clock', withoutTheBound],
    ['they do not follow a clock that is set back', { ...SET_BACK, ...withoutLookingBack }],
    // The documented limit.
    ['one starts while the clock is behind the one before', { ...SET_BACK, startsBehind: true }],
  ])('repeat ids if %s', (_, options) => {
    expect(runManyLives(10 * runs, { layout, ...options }).repeats).toBeGreaterThan(0);
  });
});
