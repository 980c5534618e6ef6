import type { RunnerTask, RunnerTestFile } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Counts a test file that a mutant keeps from loading as a failed test. Stryker's runner looks at tests only,
 * so a mutant that breaks every import would survive.
 */
export class LoadFailures implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const errors = module.errors();
    if (errors.length === 0) return;
    const { task: file } = module as unknown as { readonly task: RunnerTestFile };
    const failed = { type: 'test', name: 'loads', mode: 'run', file, result: { state: 'fail', errors } };
    file.tasks.push(failed as unknown as RunnerTask);
  }
}
