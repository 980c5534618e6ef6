import { CASE_TIMEOUT_MS, type TestRunner } from '../run-conformance.js';
import { withinCases } from './within-cases.js';
import type { WithinSubject } from './within-subject.js';

/**
 * Declares every case of numbers that are taken in the transaction of their caller as a test of `subject`.
 */
export function runWithinConformance(
  { name, open, oneWriter = false }: WithinSubject,
  { describe, it }: Pick<TestRunner, 'describe' | 'it'>,
): void {
  describe(`${name} leaves no gap`, () => {
    for (const { name, run, severalWriters = false } of withinCases) {
      const declare = severalWriters && oneWriter ? it.skip : it;
      declare(name, () => run(open), CASE_TIMEOUT_MS);
    }
  });
}
