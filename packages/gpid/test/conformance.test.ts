import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { describe, it } from 'vitest';
import { compareGpidIds, type GpidOptions, gpid } from '../src/index.js';

const options: GpidOptions = { port: 8888, address: '10.0.0.7' };

runConformance(
  {
    name: gpid.name,
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: createIds([gpid]).plan({ strategy: 'gpid', ...options }).guarantees,
    compare: compareGpidIds,
    fresh: async () => options,
  },
  { describe, it },
);
