import { defineConfig } from 'vitest/config';
import { LoadFailures } from './load-failures.js';
import { TARGETS } from './targets.js';

const target = TARGETS[process.env.IDS_MUTATE ?? ''];
if (target === undefined) throw new Error('IDS_MUTATE must name a target: run `pnpm mutate --package X`');
const root = `${process.cwd()}/${target.folder}`;

/** A test that a mutant keeps waiting fails after this time: the packages' own minute is for servers. */
const TEST_TIMEOUT_MS = 30_000;

/** A package's own settings and its fast tests. Stryker's copy of the workspace is the current folder. */
export default defineConfig({
  test: {
    reporters: [new LoadFailures()],
    projects: [
      {
        extends: `${root}/vitest.config.ts`,
        root,
        test: { testTimeout: TEST_TIMEOUT_MS, exclude: [...(target.withoutTests ?? [])] },
      },
    ],
  },
});
