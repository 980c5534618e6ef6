import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { withSlots, withWorker } from './support/variants.js';

runConformance(withSlots({ as: 'string', layout: '41+10+12', clock: 'turn' }), { describe, it });
runConformance(withSlots({ as: 'number', layout: '41+6+6', clock: 'turn' }), { describe, it });
runConformance(withSlots({ as: 'number', layout: '31s+8+14', deadlineMs: 30_000 }), { describe, it });
runConformance(withWorker({ worker: 9, as: 'number', layout: '31s+8+14', deadlineMs: 30_000 }), {
  describe,
  it,
});
