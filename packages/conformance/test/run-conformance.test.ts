import { describe, expect, it } from 'vitest';
import { conformanceCases, runConformance } from '../src/index.js';
import { references } from './references/references.js';

describe('the tests declared for a strategy', () => {
  const { segments } = references(0);
  const [suites, run, skipped]: string[][] = [[], [], []];
  const declare = Object.assign((name: string) => run?.push(name), {
    skip: (name: string) => skipped?.push(name),
  });
  runConformance(segments, {
    describe: (name, body) => {
      suites?.push(name);
      body();
    },
    it: declare,
  });

  it('stand under the name of the strategy, one for each case', () => {
    expect(suites).toEqual(['segments keeps the contract']);
    expect(run?.length).toBeGreaterThan(20);
    expect((run?.length ?? 0) + (skipped?.length ?? 0)).toBe(conformanceCases.length);
  });

  it('show what is skipped, and by which guarantee', () => {
    expect(skipped).toContain(
      'issues ids that survive JSON (skipped: ids are bigint, which JSON does not support)',
    );
    expect(skipped).toContain('skips no number across a restart (skipped: a restart may leave a gap)');
    expect(run).toContain('skips no number while nothing fails');
  });
});
