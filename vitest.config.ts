import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.js';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*'],
    // Most tests wait for servers: with a worker per core, a quarter of the cores' time would be unused.
    maxWorkers: availableParallelism() + 1,
    reporters: ['default', new TallyReporter()],
  },
});
