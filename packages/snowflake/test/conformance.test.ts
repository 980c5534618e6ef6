import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { withSlots } from './support/variants.js';

runConformance(withSlots({ as: 'bigint', layout: '41+10+12' }), { describe, it });
