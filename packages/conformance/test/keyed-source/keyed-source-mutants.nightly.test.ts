import { AssertionError } from 'node:assert';
import { expect, it } from 'vitest';
import { settleLimit } from '../../src/cases/conformance-case.js';
import { keyedSourceCases } from '../../src/index.js';
import { keyedSourceMutants } from './keyed-source-mutants.js';
import { openKeyedReference } from './reference-keyed-source.js';

// Some mutants never settle: each would wait for as long as a loaded machine may need.
settleLimit.ms = 3_000;

it.each(keyedSourceCases)('"$name" has a mutant', ({ name }) => {
  expect(keyedSourceMutants.filter(({ fails }) => fails === name)).not.toHaveLength(0);
});

it.concurrent.each(keyedSourceMutants)(
  'a source of keys is caught when it $name',
  async ({ fails, saying, broken }) => {
    const [sourceCase] = keyedSourceCases.filter(({ name }) => name === fails);
    const open = async () => openKeyedReference(broken);
    const failure = await sourceCase?.run(open).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).toMatch(saying);
    // What rejects by itself is named by the error of the source.
    if (!(failure instanceof AssertionError)) expect(failure).toHaveProperty('code');
  },
  30_000,
);
