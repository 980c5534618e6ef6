import { describe, expect, it } from 'vitest';
import type { RedisLike } from '../src/index.js';
import * as scripts from '../src/scripts.generated.js';
import { BrokenHarness, MUTANTS, type Mutant, mutate } from './support/mutant.js';

describe('the harness of mutants', () => {
  const client: RedisLike = {
    evalsha: () => Promise.resolve(undefined),
    eval: (text) => Promise.resolve(text),
    pipeline: () => {
      throw new Error('nothing is sent in a pipeline');
    },
  };

  it.each(Object.values(MUTANTS))(
    'changes exactly the scripts that are meant to be: $name',
    async (mutant) => {
      const mutated = mutate(client, mutant);
      for (const [name, { text }] of Object.entries(scripts)) {
        const changed = (await mutated.eval(text, 1, 'key')) !== text;
        expect(changed, name).toBe(mutant.scripts.some((meant) => meant === name));
      }
    },
  );

  it.each<[string, Partial<Mutant>]>([
    ['a pattern that is gone', { from: 'if low <= mark then' }],
    ['a pattern that another script holds too', { from: 'return' }],
    ['a pattern that is gone from one of its scripts', { scripts: ['install', 'take'] }],
  ])('is broken by %s, which is no kill', (_what, change) => {
    expect(() => mutate(client, { ...MUTANTS.noHighWaterMark, ...change })).toThrow(BrokenHarness);
  });
});
