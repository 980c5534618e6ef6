import type { Stryker } from '@stryker-mutator/core';
import { LIMIT_MS, type Target } from './targets.js';

type StrykerOptions = ConstructorParameters<typeof Stryker>[0];

/**
 * The one configuration of Stryker. `files`, globs relative to the target's folder, replace what the target
 * mutates; `concurrency` is the number of test runners.
 */
export function strykerOptions(
  { folder, mutate = ['src/**/*.ts'], limitMs = LIMIT_MS }: Target,
  files: readonly string[] | undefined,
  concurrency: number,
): StrykerOptions {
  return {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // Not `related`: a mutated file is in a copy of the workspace, and siblings are imported from `dist`.
    vitest: { configFile: 'scripts/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    mutate: (files ?? mutate).map((glob) => `${folder}/${glob}`),
    // The copy holds the package and what configures its tests; Stryker links every node_modules folder, so
    // that siblings are found as always, built. Inside node_modules the copy would not be transformed, so it
    // has a folder of its own.
    tempDirName: '.mutation',
    ignorePatterns: [
      '**',
      '!/package.json',
      '!**/tsconfig*.json',
      '!/vitest.*.ts',
      '!/scripts/**',
      `!/${folder}/**`,
      '**/dist/**',
      '**/node_modules/**',
    ],
    concurrency,
    // A call that never ends fails its test after half of that. A busy machine must not kill mutants.
    timeoutMS: 2 * limitMs,
    timeoutFactor: 2,
    reporters: ['progress-append-only', 'clear-text'],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
    allowConsoleColors: false,
  };
}
