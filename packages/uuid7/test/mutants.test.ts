import { AssertionError } from 'node:assert';
import { conformanceCases } from '@ids/conformance';
import { describe, expect, it } from 'vitest';
import { guarantees, mutants } from './support/mutants.js';

describe('the conformance kit catches a generator of UUIDs of version 7 that', () => {
  it.each(Object.entries(mutants))('%s', async (name, mutant) => {
    const subject = {
      name,
      module: new URL('./support/mutants.ts', import.meta.url),
      guarantees,
      fresh: async () => ({ mutant: name }),
    };
    const [conformanceCase] = conformanceCases.filter((candidate) => candidate.name === mutant.fails);
    expect(conformanceCase?.skip(subject.guarantees)).toBeUndefined();
    const failure = await conformanceCase?.run(subject).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AssertionError);
    expect((failure as AssertionError).message).toMatch(mutant.saying);
  });
});
