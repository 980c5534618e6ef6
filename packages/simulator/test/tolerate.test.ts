import type { RedisLike } from '@ids/segment-redis-db';
import { expect, it } from 'vitest';
import { type RunOptions, runSeed } from '../src/run-seed.js';
import type { Wraps } from '../src/world/base-world.js';

/** Enough for the processes to start. */
const ANSWERS = 20;

/** A Redis that answers no more, also after all faults have ended. */
function wraps(): Wraps {
  let left = ANSWERS;
  const answer = (ask: () => Promise<unknown>) => (left-- > 0 ? ask() : new Promise<never>(() => {}));
  return {
    wrap: (client): RedisLike => ({
      evalsha: (...args) => answer(() => client.evalsha(...args)),
      eval: (...args) => answer(() => client.eval(...args)),
      pipeline: () => client.pipeline(),
    }),
  };
}

it('tells what is tolerated apart from what breaks a seed', async () => {
  const options: RunOptions = { wraps, runMs: 300, processes: 2, sequences: 1 };
  const isNoId = (finding: string) => finding.startsWith('no id: ');
  let seed = 1;
  let broken = await runSeed(seed, options);
  while (broken.counts['no id'] === undefined && seed < 50) broken = await runSeed(++seed, options);
  expect(broken.problems.some(isNoId)).toBe(true);
  expect(broken).toMatchObject({ sound: false, tolerated: [] });
  const { sound, problems, tolerated, counts } = await runSeed(seed, { ...options, tolerate: 'no id' });
  expect(tolerated).toEqual(broken.problems.filter(isNoId));
  expect(problems).toEqual(broken.problems.filter((finding) => !isNoId(finding)));
  expect(counts).not.toHaveProperty('no id');
  expect(sound).toBe(problems.length === 0);
});
