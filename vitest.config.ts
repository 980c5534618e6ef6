import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.js';

const cores = availableParallelism();
// Most tests wait for servers: with a worker per core, a quarter of the cores' time would be unused. Fault
// tests without their faults wait most of all: for what never comes.
const maxWorkers = process.env.IDS_FAULTS === 'off' ? 3 * cores : cores + 1;

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*'],
    maxWorkers,
    reporters: ['default', new TallyReporter()],
  },
});
