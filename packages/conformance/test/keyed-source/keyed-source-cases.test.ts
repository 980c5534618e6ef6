import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import { settleLimit } from '../../src/cases/conformance-case.js';
import { keyedSourceCases, runKeyedSourceContract } from '../../src/index.js';
import { keyedSourceMutants } from './keyed-source-mutants.js';
import { openKeyedReference } from './reference-keyed-source.js';

// Some mutants never settle: each would wait for as long as a loaded machine may need.
settleLimit.ms = 3_000;

runKeyedSourceContract({ name: 'the reference', open: async () => openKeyedReference() }, { describe, it });

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

it('cases about locks and groups are skipped only if the source cannot do that', () => {
  const declared: string[] = [];
  const declare = Object.assign(() => undefined, { skip: (name: string) => declared.push(name) });
  const runner = { describe: (_: string, body: () => void) => body(), it: declare };
  const open = async () => openKeyedReference();
  runKeyedSourceContract({ name: 'one', open }, runner);
  expect(declared).toEqual([]);
  runKeyedSourceContract({ name: 'one', open, cannotLock: true }, runner);
  const locks = keyedSourceCases.filter((one) => one.locks);
  expect(declared).toEqual(locks.map(({ name }) => `${name} (skipped: it cannot lock)`));
  declared.length = 0;
  runKeyedSourceContract({ name: 'one', open, cannotGroup: true }, runner);
  const groups = keyedSourceCases.filter((one) => one.groups);
  expect(declared).toEqual(groups.map(({ name }) => `${name} (skipped: it cannot group)`));
});
