import { fileURLToPath } from 'node:url';
import { IdError } from '@ids/core';
import { describe, expect, it } from 'vitest';
import type { ControlCase, Subject } from '../src/cases/case.js';
import { loadFit } from '../src/judge/load.js';
import { merged, percentile, percentilesOf } from '../src/measure/latencies.js';
import { runOpenLoop } from '../src/measure/open-loop.js';
import type { CaseResult } from '../src/schema/case.js';
import type { AtRateResult } from '../src/schema/figures.js';
import { atRateOf } from './support/chosen-case.js';
import { REAL, RunningBench } from './support/run-bench.js';

describe('runOpenLoop', () => {
  const control: ControlCase = {
    kind: 'control',
    name: 'counter',
    backends: [],
    format: { idType: 'number', text: { pattern: /^\d+$/, maxLength: 16, sortable: false } },
    open: async () => ({ close: async () => {} }),
  };

  /** Serves at once, but for one stall in which nobody is served. */
  function stalling(after: number, ms: number): Subject {
    let last = 0;
    let stall: Promise<void> | undefined;
    return {
      async next() {
        const id = ++last;
        if (id === after) stall = new Promise((resolve) => setTimeout(resolve, ms));
        await stall;
        return id;
      },
      close: async () => {},
    };
  }

  it('lets everybody feel a stall who would have asked meanwhile', async () => {
    // At 10,000 calls a second, 100 ms of stall concern about a thousand of the 4,000 calls.
    const [measure] = await runOpenLoop(stalling(2_500, 100), control, { rates: [10_000], ms: 400 });
    const all = merged(measure?.blocks ?? []);
    const [p50 = null, p75 = null, p90 = null] = percentilesOf(all);
    expect(measure).toMatchObject({ rate: 10_000, calls: 4_000, overloaded: false });
    expect(p90).toBeGreaterThan(10e6);
    expect(all.max).toBeGreaterThan(90e6);
    expect(p50 ?? 0).toBeLessThanOrEqual(p75 ?? 0);
  });

  it('counts from when a call was meant to start, where a stall keeps the loop itself from asking', async () => {
    let last = 0;
    const blocking: Subject = {
      async next() {
        const id = ++last;
        const until = performance.now() + 300;
        while (id === 1_500 && performance.now() < until);
        return id;
      },
      close: async () => {},
    };
    const [measure] = await runOpenLoop(blocking, control, { rates: [2_000], ms: 1_000 });
    // 600 of the 2,000 calls start up to 300 ms late, and each of them is served at once.
    expect(measure?.calls).toBe(2_000);
    expect(percentile(merged(measure?.blocks ?? []), 90)).toBeGreaterThan(150e6);
  });

  it('goes on through the end of a block, so that a stall concerns the calls of the next as well', async () => {
    // The warm-up takes 50 calls. The stall begins 10 ms before the end of the first of two blocks of 200 ms.
    const request = { rates: [1_000], ms: 400, warmUpMs: 50, blocks: 2, asService: true };
    const [measure] = await runOpenLoop(stalling(240, 100), control, request);
    const [first, second] = measure?.blocks ?? [];
    expect([first?.calls, second?.calls]).toEqual([200, 200]);
    expect(first?.max).toBeGreaterThan(90e6);
    // Up to 90 ms late, which is what a pause between the blocks would hide.
    expect(second?.max).toBeGreaterThan(60e6);
  });

  it('asks nextSync first if it is told to, waits where no id is in memory, and counts failures', async () => {
    let [last, sync, waited] = [0, 0, 0];
    const service: Subject = {
      nextSync() {
        if (sync++ % 10 === 3) throw new IdError('ERR_IDS_NOT_READY', 'no id in memory');
        if (last >= 900) throw new IdError('ERR_IDS_UNAVAILABLE', 'no more');
        return ++last;
      },
      async next() {
        waited++;
        return ++last;
      },
      close: async () => {},
    };
    const request = { rates: [1_000], ms: 1_000, asService: true, syncFirst: true };
    const [measure] = await runOpenLoop(service, control, request);
    // 500 calls to warm up; those after the 900th id fail, except for those that wait.
    expect(measure?.calls).toBe(1_000);
    expect(waited).toBe(150);
    expect(measure?.errors).toBeGreaterThan(400);
    expect(measure?.errors).toBe(1_500 - last);
  });

  it('sees that calls pile up, and passes on a failure', async () => {
    // The warm-up is over by then.
    const stuck = stalling(100_000, 1_000);
    const [measure] = await runOpenLoop(stuck, control, { rates: [200_000], ms: 800 });
    expect(measure?.overloaded).toBe(true);
    const failing: Subject = { next: () => Promise.reject(new Error('no more')), close: async () => {} };
    await expect(runOpenLoop(failing, control, { rates: [1_000], ms: 20 })).rejects.toThrow('no more');
  });
});

it('a run at a rate judges next(), and has nextSync as a figure of its own', async () => {
  const own = fileURLToPath(new URL('./planted/waits-in-turn.mjs', import.meta.url));
  const args = [
    '--smoke',
    '--processes',
    '2',
    '--rate',
    '4000',
    '--strategy',
    own,
    '--only',
    'waits-in-turn',
  ];
  await using bench = await RunningBench.start(REAL, ...args);
  await bench.exitCode();
  const found = (await bench.result()).cases.find(({ name }) => name === 'waits-in-turn');
  const { atRate, ...rest } = found as CaseResult & { readonly atRate: AtRateResult };
  expect(atRate.achieved).toBeLessThan(1_001);
  expect(atRate.nextSync?.achieved).toBeGreaterThan(2 * atRate.achieved);
  // A machine that is busy for these 125 ms would leave it open.
  const { baseline } = atRateOf(4_000);
  expect(loadFit({ rate: 4_000 }, { ...rest, atRate: { ...atRate, baseline } }).unmet).toHaveLength(1);
});
