import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { withWorker } from './support/variants.js';

runConformance(withWorker({ worker: 7, layout: '41+10+12' }), { describe, it });
