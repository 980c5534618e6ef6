import { conformanceCases } from './cases/conformance-cases.js';
import type { ConformanceSubject } from './subject.js';

type Declare = (name: string, body: () => Promise<void>) => unknown;

/** What the kit needs of a test runner; `vitest` and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: Declare & { readonly skip: Declare };
}

/** Declares every case as a test of `subject`. Cases of claims not made show as skipped, with the reason. */
export function runConformance(subject: ConformanceSubject, { describe, it }: TestRunner): void {
  describe(`${subject.name} keeps the contract`, () => {
    for (const { name, skip, run } of conformanceCases) {
      const reason = skip(subject.guarantees);
      const declare = reason === undefined ? it : it.skip;
      declare(reason === undefined ? name : `${name} (skipped: ${reason})`, () => run(subject));
    }
  });
}
