import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { inprocAs } from './support/inproc-as.js';

// The same ids as numbers, converted: what differs takes a minute to be shown for all cases of the kit.
for (const as of ['bigint', 'string'] as const) runConformance(inprocAs(as), { describe, it });
