import { describe, expect, it } from 'vitest';
import { keyedPlanOf } from '../src/keyed/draw-keyed-plan.js';
import { runKeyedSeed } from '../src/keyed/run-keyed-seed.js';

/** How many seeds are played with all guards. */
const SEEDS = 10;

describe('sequences by key in simulated worlds', () => {
  it(`keep their guarantees in ${SEEDS} seeds`, async () => {
    const broken: string[] = [];
    let [ids, overRedis, inCluster] = [0, 0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const outcome = await runKeyedSeed(seed);
      ids += outcome.ids;
      if (outcome.plan.redis !== undefined) overRedis++;
      if (outcome.plan.cluster !== undefined) inCluster++;
      if (!outcome.sound) broken.push(`seed ${seed}: ${outcome.problems[0]}`);
    }
    expect(broken).toEqual([]);
    expect(ids).toBeGreaterThan(SEEDS * 500);
    expect(overRedis).toBeGreaterThan(SEEDS / 2);
    expect(overRedis).toBeLessThan(SEEDS);
    expect(inCluster).toBeGreaterThan(0);
  }, 300_000);

  it('play a seed twice in the same way', async () => {
    const seed = 4;
    expect(keyedPlanOf(seed).redis).toBeDefined();
    const [first, second] = [await runKeyedSeed(seed), await runKeyedSeed(seed)];
    expect(second.hash).toBe(first.hash);
  });
});
