import { runWithinConformance } from '@ids/conformance';
import { ALL_DIALECTS } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { describe, it } from 'vitest';
import { openSeries } from './series.js';

for (const kind of ALL_DIALECTS) {
  const oneWriter = kind.dialect === 'sqlite';
  runWithinConformance({ name: kind.server, oneWriter, open: () => openSeries(kind) }, { describe, it });
}
