import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { withSlots, withWorker } from './support/variants.js';

runConformance(withSlots({ as: 'bigint', layout: '41+10+12' }), { describe, it });
runConformance(withSlots({ as: 'string', layout: '41+10+12', clock: 'turn' }), { describe, it });
runConformance(withWorker({ worker: 7, layout: '41+10+12' }), { describe, it });
