import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { describe, inject, it } from 'vitest';
import { segmentInproc } from '../src/index.js';
import { createContext } from './support/subject.js';

const database = inject('databaseUrl');
const bounded = { strategy: 'segment-inproc', name: 'order', database, maxIdsLost: 150_000 } as const;

runConformance(
  {
    name: 'segment-inproc with a bound on what may be lost',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: createIds([segmentInproc]).plan(bounded).guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: () => createContext(database, uniqueName('segment_inproc'), 'number', bounded.maxIdsLost),
  },
  { describe, it },
);
