import { abortCases } from './cases/abort-cases.js';
import { batchCases } from './cases/batch-cases.js';
import type { ConformanceCase } from './cases/conformance-case.js';
import { counterCases } from './cases/counter-cases.js';
import { closeGapCases, gapCases } from './cases/gap-cases.js';
import { guaranteeCases } from './cases/guarantee-cases.js';
import { idCases } from './cases/id-cases.js';
import { lifecycleCases } from './cases/lifecycle-cases.js';
import { orderCases } from './cases/order-cases.js';
import { processCases } from './cases/process-cases.js';
import { readinessCases } from './cases/readiness-cases.js';
import { uniquenessCases } from './cases/uniqueness-cases.js';
import type { ConformanceSubject } from './subject.js';
import { beyondTheKit, notedUntested, type Untested } from './untested.js';

/** All cases of the kit, from simple claims to runs of several processes. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...guaranteeCases,
  ...idCases,
  ...batchCases,
  ...orderCases,
  ...gapCases,
  ...closeGapCases,
  ...uniquenessCases,
  ...abortCases,
  ...readinessCases,
  ...lifecycleCases,
  ...counterCases,
  ...processCases,
];

type Declare = (name: string, body: () => Promise<void>, timeoutMs: number) => unknown;

/**
 * Ends a case that hangs. Cases limit their own waits, and several start processes: the five seconds that
 * vitest allows by default are too few on a busy machine. `node:test` has no limit, and ignores this one.
 */
export const CASE_TIMEOUT_MS = 300_000;

/** The name of the last test of a run. */
const SUMMARY = 'prints what this run did not test';

/** One line for each claim that was not tested, with the reason. `passed` has the names of cases. */
function describeUntested(subject: ConformanceSubject, passed: ReadonlySet<string>): string {
  const cases = conformanceCases.flatMap(({ name, skip }): Untested[] => {
    const reason = skip(subject.guarantees);
    if (reason !== undefined) return [{ what: name, why: reason }];
    return passed.has(name) ? [] : [{ what: name, why: 'the case failed, or was left out of this run' }];
  });
  const untested = [...cases, ...notedUntested(subject), ...beyondTheKit(subject.guarantees)];
  const lines = untested.map(({ what, why }) => `  ${what}: ${why}`);
  return [`${subject.name}, not tested in this run:`, ...lines].join('\n');
}

/** What the kit needs from a test runner; `vitest` and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: Declare & { readonly skip: Declare };
}

/**
 * Declares every case as a test of `subject`. Cases of claims that the subject does not make are skipped,
 * with the reason. A last test prints what the run did not test, and why.
 */
export function runConformance(subject: ConformanceSubject, { describe, it }: TestRunner): void {
  describe(`${subject.name} keeps the contract`, () => {
    const passed = new Set<string>();
    for (const { name, skip, run } of conformanceCases) {
      const reason = skip(subject.guarantees);
      const declare = reason === undefined ? it : it.skip;
      declare(
        reason === undefined ? name : `${name} (skipped: ${reason})`,
        async () => {
          await run(subject);
          passed.add(name);
        },
        CASE_TIMEOUT_MS,
      );
    }
    it(SUMMARY, async () => console.info(describeUntested(subject, passed)), CASE_TIMEOUT_MS);
  });
}
