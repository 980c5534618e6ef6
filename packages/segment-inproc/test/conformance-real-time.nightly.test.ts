import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { describe, inject, it } from 'vitest';
import { segmentInproc } from '../src/index.js';
import { createContext } from './support/subject.js';

const database = inject('databaseUrl');
const ordered = { strategy: 'segment-inproc', name: 'order', database, order: 'real-time' } as const;

runConformance(
  {
    name: 'segment-inproc in real-time order',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: createIds([segmentInproc]).plan(ordered).guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: async () => ({
      ...(await createContext(database, uniqueName('segment_inproc'), 'number')),
      order: ordered.order,
    }),
  },
  { describe, it },
);
