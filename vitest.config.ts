import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.js';

const cores = availableParallelism();
const { IDS_FAULTS: faults, IDS_LANES: lanes = 'first' } = process.env;
// Most tests wait for servers: with a worker per core, a quarter of the cores' time would be unused. Tests
// under faults wait more, and without their faults, most of all: for what never comes.
const underFaults = faults === 'off' ? 3 * cores : 2 * cores;
const maxWorkers = faults === 'off' || !lanes.includes('first') ? underFaults : cores + 1;

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*'],
    maxWorkers,
    reporters: ['default', new TallyReporter()],
  },
});
