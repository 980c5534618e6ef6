import { AssertionError } from 'node:assert';
import { describe, expect, it } from 'vitest';
import { runSegmentSourceContract, segmentSourceCases } from '../../src/index.js';
import { openReference } from './reference-source.js';
import { sourceMutants } from './source-mutants.js';

runSegmentSourceContract({ name: 'the reference', open: async () => openReference() }, { describe, it });

it.each(segmentSourceCases)('"$name" has a mutant', ({ name }) => {
  expect(sourceMutants.filter(({ fails }) => fails === name)).not.toHaveLength(0);
});

it.each(sourceMutants)('a source is caught when it $name', async ({ fails, saying, broken }) => {
  const [sourceCase] = segmentSourceCases.filter(({ name }) => name === fails);
  const failure = await sourceCase?.run(async () => openReference(broken)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AssertionError);
  expect((failure as AssertionError).message).toMatch(saying);
});

it.each([
  [undefined, []],
  [true, segmentSourceCases.filter(({ expectsMaxId }) => expectsMaxId)],
])('cases about expectedMaxId are skipped only if the source ignores it: %s', (ignored, skipped) => {
  const declared: string[] = [];
  const declare = Object.assign(() => undefined, { skip: (name: string) => declared.push(name) });
  const runner = { describe: (_: string, body: () => void) => body(), it: declare };
  const open = async () => openReference();
  runSegmentSourceContract({ name: 'one', open, ...(ignored && { ignoresExpectedMaxId: ignored }) }, runner);
  expect(declared).toEqual(skipped.map(({ name }) => `${name} (skipped: it ignores expectedMaxId)`));
});
