import { declareCases, type RunOptions, runConformance, type TestRunner } from '../run-conformance.js';
import { callCases } from './call-cases.js';
import { closeCases } from './close-cases.js';
import { groupCases } from './group-cases.js';
import { keyCases } from './key-cases.js';
import { keyProcessCases } from './key-process-cases.js';
import type { KeyedConformanceCase, KeyedConformanceSubject } from './keyed-case.js';
import { lockedCases } from './locked-cases.js';

/** What the cases of `runConformance` on the view of one key cannot show. */
export const keyedConformanceCases: readonly KeyedConformanceCase[] = [
  ...keyCases,
  ...callCases,
  ...closeCases,
  ...lockedCases,
  ...groupCases,
  ...keyProcessCases,
];

/**
 * Declares the cases of keyed generators as tests of `subject`, and all cases of `runConformance` as tests of
 * the view of one key. Each of the two ends with a test that prints what it did not test.
 */
export function runKeyedConformance(
  subject: KeyedConformanceSubject,
  runner: TestRunner,
  options: RunOptions = {},
): void {
  const { within: _within, ...guarantees } = subject.guarantees;
  runConformance({ ...subject, name: `${subject.name}, of one key,`, guarantees }, runner, options);
  runner.describe(`${subject.name} keeps the contract of keyed generators`, () =>
    declareCases(keyedConformanceCases, subject, runner, options),
  );
}
