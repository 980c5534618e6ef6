import { describe, expect, it } from 'vitest';
import { keyedSourceCases, runKeyedSourceContract } from '../../src/index.js';
import { openKeyedReference } from './reference-keyed-source.js';

runKeyedSourceContract({ name: 'the reference', open: async () => openKeyedReference() }, { describe, it });

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
