import { runConformance } from '@ids/conformance';
import { createIds, type Id } from '@ids/core';
import { describe, it } from 'vitest';
import { compareGpidIds, type GpidOptions, gpid, parseGpidId } from '../src/index.js';

const options: GpidOptions = { port: 8888, address: '10.0.0.7' };

const sequenceOf = (id: Id) => parseGpidId(String(id)).sequence;

runConformance(
  {
    name: gpid.name,
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: createIds([gpid]).plan({ strategy: 'gpid', ...options }).guarantees,
    compare: compareGpidIds,
    skipped: (before, id) => BigInt(sequenceOf(id) - sequenceOf(before) - 1),
    fresh: async () => options,
  },
  { describe, it },
);
