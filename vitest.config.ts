import { defineConfig } from 'vitest/config';
import { TallyReporter } from './scripts/tally-reporter.js';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*'],
    reporters: ['default', new TallyReporter()],
  },
});
