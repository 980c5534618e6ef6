import { describe, expect, it } from 'vitest';
import { type Subject, subjectOf } from '../src/cases/case.js';
import type { OwnStrategyModule } from '../src/cases/own.js';
import { loadOf } from '../src/experiments/open-loops.js';
import { advise } from '../src/judge/advise.js';
import { fitOf } from '../src/judge/fit.js';
import { type Latencies, noLatencies, record } from '../src/measure/latencies.js';
import { type OpenLoopMeasure, runOpenLoop } from '../src/measure/open-loop.js';
import { atRateOf, chosenCase } from './support/chosen-case.js';

const format = { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } } as const;

/** Calls that took so many nanoseconds, by how many there were. */
function latenciesOf(calls: Readonly<Record<number, number>>): Latencies {
  const latencies = noLatencies();
  for (const [ns, count] of Object.entries(calls)) {
    for (let i = 0; i < count; i++) record(latencies, Number(ns));
  }
  return latencies;
}

const quiet = latenciesOf({ 1000: 1_000 });
const stalled = latenciesOf({ 1000: 900, 300e6: 100 });

/** One process that was asked for 1,000 ids a second in five blocks. */
function processOf(parts: Partial<OpenLoopMeasure> = {}): OpenLoopMeasure {
  const blocks = new Array<Latencies>(5).fill(quiet);
  return { rate: 1_000, calls: 5_000, blocks, errors: 0, achieved: 1_000, overloaded: false, ...parts };
}

const p99Of = (processes: readonly OpenLoopMeasure[]) => loadOf(processes, 1_000).latency[3] ?? 0;

describe('the load of a rate', () => {
  it('has the percentiles of all calls: a stall in one block of five counts', () => {
    const processes = [processOf({ blocks: [quiet, stalled, quiet, quiet, quiet] }), processOf()];
    // 2 % of the calls of that process.
    expect(p99Of(processes)).toBeGreaterThan(299e6);
    expect(loadOf(processes, 1_000)).toMatchObject({
      latency: [expect.closeTo(1_000, -1), {}, {}, {}, null],
    });
  });

  it('shows the p99 of the worst block beside it, which a short stall cannot hide in', () => {
    const short = latenciesOf({ 1000: 980, 300e6: 20 });
    const load = loadOf([processOf(), processOf({ blocks: [quiet, quiet, quiet, quiet, short] })], 1_000);
    // 20 of 5,000 calls: too few for the p99 of all.
    expect(load.latency[3]).toBeLessThan(1_100);
    expect(load.p99OfWorstBlock).toBeGreaterThan(299e6);
  });

  it('is that of the worst process in each figure', () => {
    const slow = processOf({ blocks: new Array<Latencies>(5).fill(stalled), achieved: 960 });
    for (const processes of [
      [slow, processOf()],
      [processOf(), slow],
    ]) {
      expect(p99Of(processes)).toBeGreaterThan(299e6);
      expect(loadOf(processes, 1_000)).toMatchObject({ achieved: 960, overloaded: false });
      expect(loadOf(processes, 1_000).max).toBe(300e6);
    }
  });

  it('is too much if it is for one process, whether calls pile up or come later and later', () => {
    expect(loadOf([processOf(), processOf()], 1_000).overloaded).toBe(false);
    expect(loadOf([processOf(), processOf({ overloaded: true })], 1_000).overloaded).toBe(true);
    expect(loadOf([processOf({ achieved: 949 }), processOf()], 1_000).overloaded).toBe(true);
    expect(loadOf([processOf({ achieved: 950 }), processOf()], 1_000).overloaded).toBe(false);
  });

  it('counts the calls and the failures of all processes', () => {
    const processes = [processOf({ calls: 4_999, errors: 3 }), processOf({ errors: 4 })];
    expect(loadOf(processes, 1_000)).toMatchObject({ calls: 9_999, errors: 7 });
  });

  it('has no p99 if a process made fewer than 500 calls', () => {
    const few = (calls: number) => processOf({ blocks: [latenciesOf({ 1000: calls })] });
    expect(loadOf([processOf(), few(499)], 1_000).latency.slice(2)).toEqual([expect.any(Number), null, null]);
    expect(loadOf([processOf(), few(500)], 1_000).latency[3]).toBeLessThan(1_100);
  });
});

describe('a generator that stalls for 8 % of the time', () => {
  /** As one of 400 ms every 5 s, ten times as fast. */
  function stalling(): Subject {
    const start = performance.now();
    let last = 0;
    return {
      async next() {
        const at = (performance.now() - start) % 500;
        if (at > 400 && at < 440) await new Promise((resolve) => setTimeout(resolve, 440 - at));
        return ++last;
      },
      close: async () => {},
    };
  }

  it('does not meet a p99 of half a stall', async () => {
    const request = { rates: [2_000], ms: 550, warmUpMs: 20, blocks: 5, asService: true };
    const load = loadOf(await runOpenLoop(stalling(), { format }, request), 2_000);
    // Felt in one block of five only, or in two.
    expect(load.max).toBeGreaterThan(30e6);
    const measured = {
      atRate: { ...load, rate: 2_000, processes: 1, ms: 550, baseline: atRateOf(2_000).baseline },
    };
    const { unmet } = fitOf({ rate: 2_000, p99Ms: 20 }, chosenCase('stalls', {}, measured));
    expect(unmet).toContainEqual(expect.stringMatching(/^p99: needs 20 ms, measured \d/));
  });
});

describe('a strategy whose next() misses a rate that its nextSync keeps', () => {
  it('is not recommended', async () => {
    const planted = new URL('./planted/waits-in-turn.mjs', import.meta.url).href;
    const { strategy } = (await import(planted)) as OwnStrategyModule;
    const request = { rates: [4_000], ms: 250, warmUpMs: 20, blocks: 5, asService: true };
    const loadWith = async (syncFirst: boolean) => {
      const subject = subjectOf(await strategy.create({}));
      const words = { idType: 'string', text: { pattern: /./, maxLength: 30, sortable: false } } as const;
      return loadOf(await runOpenLoop(subject, { format: words }, { ...request, syncFirst }), 4_000);
    };
    const [load, nextSync] = [await loadWith(false), await loadWith(true)];
    expect(load.achieved).toBeLessThan(1_001);
    expect(nextSync.achieved).toBeGreaterThan(2 * load.achieved);
    const measured = { atRate: { ...atRateOf(4_000), ...load, nextSync } };
    expect(advise({ rate: 4_000 }, [chosenCase('waits', {}, measured)])).not.toHaveProperty('choice');
  });
});
