import { configureGlobal } from 'fast-check';
import { seedOfRun } from './scripts/seed.js';

// The packages' own copy: pnpm links the one of the catalog everywhere. A property may set a seed of its own.
configureGlobal({ seed: seedOfRun() });
