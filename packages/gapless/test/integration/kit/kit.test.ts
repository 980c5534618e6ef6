import { runWithinConformance } from '@ids/conformance';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import type {} from '@ids/local-services/vitest-setup';
import { describe, it } from 'vitest';
import { openSeries } from './series.js';

for (const kind of SQL_DIALECTS) {
  runWithinConformance({ name: kind.server, open: () => openSeries(kind) }, { describe, it });
}
