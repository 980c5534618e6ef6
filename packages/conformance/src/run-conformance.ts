import type { Guarantees } from '@ids/core';
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

/** What the kit needs from a test runner; `vitest` and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: Declare & { readonly skip: Declare };
}

/** What a run is told besides its subject. */
export interface RunOptions {
  /**
   * Also runs the cases that judge by time or memory, which fail on a machine that is busy with something
   * else. False by default, unless the environment has `IDS_LIMITS=1`.
   */
  readonly limits?: boolean;
}

/**
 * Declares every case as a test of `subject`. Cases of claims that the subject does not make are skipped,
 * with the reason, and without `limits` so are those that need it. A last test prints what the run did not
 * test, and why.
 */
export function runConformance(
  subject: ConformanceSubject,
  runner: TestRunner,
  options: RunOptions = {},
): void {
  runner.describe(`${subject.name} keeps the contract`, () =>
    declareCases(conformanceCases, subject, runner, options),
  );
}

/** A case of the kit, about a kind of subject. */
interface CaseOf<Subject> {
  readonly name: string;
  readonly limits?: true;
  skip(guarantees: Guarantees): string | undefined;
  run(subject: Subject): Promise<void>;
}

/** Declares the cases as tests, and a last one that prints what they did not test. */
export function declareCases<Subject extends ConformanceSubject>(
  cases: readonly CaseOf<Subject>[],
  subject: Subject,
  { it }: TestRunner,
  { limits = process.env.IDS_LIMITS === '1' }: RunOptions = {},
): void {
  const passed = new Set<string>();
  const declared = cases.map((one) => ({ ...one, reason: reasonToSkip(one, subject.guarantees, limits) }));
  for (const { name, reason, run } of declared) {
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
  it(SUMMARY, async () => console.info(describeUntested(declared, subject, passed)), CASE_TIMEOUT_MS);
}

function reasonToSkip(one: CaseOf<never>, guarantees: Guarantees, limits: boolean): string | undefined {
  const reason = one.skip(guarantees);
  if (reason !== undefined || limits || one.limits !== true) return reason;
  return 'judged by time or memory: run with limits: true';
}

/** One line for each claim that was not tested, with the reason. `passed` has the names of cases. */
function describeUntested(
  cases: readonly { readonly name: string; readonly reason: string | undefined }[],
  subject: ConformanceSubject,
  passed: ReadonlySet<string>,
): string {
  const ofCases = cases.flatMap(({ name, reason }): Untested[] => {
    if (reason !== undefined) return [{ what: name, why: reason }];
    return passed.has(name) ? [] : [{ what: name, why: 'the case failed, or was left out of this run' }];
  });
  const untested = [...ofCases, ...notedUntested(subject), ...beyondTheKit(subject.guarantees)];
  const lines = untested.map(({ what, why }) => `  ${what}: ${why}`);
  return [`${subject.name}, not tested in this run:`, ...lines].join('\n');
}
