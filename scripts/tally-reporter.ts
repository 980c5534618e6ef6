import { appendFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { seedOfRun } from './seed.js';

/**
 * Begins a run with the seed of its properties, and ends it with one plain line. Adds the numbers of that to
 * the file that `IDS_TEST_TALLY` names, if any. With `IDS_SKIPS=fail`, a skipped test fails the run.
 */
export class TallyReporter implements Reporter {
  onTestRunStart(): void {
    console.log(`fast-check: seed ${seedOfRun()}`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const result = test.result();
        count[result.state]++;
        if (process.env.IDS_SKIPS !== 'fail' || result.state !== 'skipped') continue;
        console.error(`skipped: ${test.fullName}${result.note ? ` (${result.note})` : ''}`);
        process.exitCode = 1;
      }
    }
    if (process.env.IDS_FAULTS === 'off') {
      const faultTests = count.passed + count.failed;
      console.log(`${count.passed} of ${faultTests} fault tests fail without their faults, as they must`);
    }
    console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
    const { IDS_TEST_TALLY: tally } = process.env;
    if (tally !== undefined) appendFileSync(tally, `${count.passed} ${count.failed}\n`);
  }
}
