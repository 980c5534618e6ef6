import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.js';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*'],
    // Most tests wait for servers: one worker fewer than cores, as is the default, would
    // leave two cores half idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ['default', new TallyReporter()],
  },
});
