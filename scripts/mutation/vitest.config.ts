import { defineConfig, type Plugin } from 'vitest/config';
import { LoadFailures } from './load-failures.js';
import { LIMIT_MS, TARGETS } from './targets.js';

const target = TARGETS[process.env.IDS_MUTATE ?? ''];
if (target === undefined) throw new Error('IDS_MUTATE must name a target: run `pnpm mutate --package X`');
const root = `${process.cwd()}/${target.folder}`;

/** The packages' own limits are for servers. */
const { limitMs = LIMIT_MS } = target;

/**
 * What a configuration file cannot say: Stryker asks vitest for threads, which goes before it, and
 * lists are added to lists.
 */
const afterAllOthers: Plugin = {
  name: 'mutation-target',
  configureVitest({ project }) {
    if (target.inProcesses) project.config.pool = 'forks';
    if (target.withoutServices) project.config.globalSetup = [];
  },
};

/** A package's own settings and its fast tests. Stryker's copy of the workspace is the current folder. */
export default defineConfig({
  test: {
    reporters: [new LoadFailures()],
    projects: [
      {
        extends: `${root}/vitest.config.ts`,
        root,
        plugins: [afterAllOthers],
        test: {
          testTimeout: limitMs,
          hookTimeout: limitMs,
          exclude: ['**/*.nightly.test.ts', ...(target.withoutTests ?? [])],
        },
      },
    ],
  },
});
