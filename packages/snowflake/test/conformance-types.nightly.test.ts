import { runConformance } from '@ids/conformance';
import { SQLITE } from '@ids/local-services/dialects';
import { describe, it } from 'vitest';
import { withSlots, withWorker } from './support/variants.js';

runConformance(withSlots({ as: 'string', layout: '41+10+12' }), { describe, it });
runConformance(withSlots({ as: 'number', layout: '41+6+6' }), { describe, it });
runConformance(withSlots({ as: 'number', layout: '31s+8+14', deadlineMs: 30_000 }), { describe, it });
runConformance(withSlots({ as: 'bigint', layout: '41+10+12' }, SQLITE), { describe, it });
runConformance(withWorker({ worker: 9, as: 'number', layout: '31s+8+14', deadlineMs: 30_000 }), {
  describe,
  it,
});
