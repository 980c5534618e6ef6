import type { ConformanceSubject } from '@ids/conformance';
import { createIds } from '@ids/core';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import type { IdTypeName } from '@ids/segment';
import { inject } from 'vitest';
import { segmentInproc } from '../../src/index.js';
import { createContext } from './subject.js';

/** The strategy on Postgres with ids of this type. */
export function inprocAs(as: IdTypeName) {
  const database = inject('databaseUrl');
  return {
    name: `segment-inproc as ${as}`,
    module: new URL('./subject.ts', import.meta.url),
    guarantees: createIds([segmentInproc]).plan({ strategy: 'segment-inproc', name: 'order', database, as })
      .guarantees,
    // Digits without leading zeros do not sort as text.
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: () => createContext(database, uniqueName('segment_inproc'), as),
  } satisfies ConformanceSubject<Awaited<ReturnType<typeof createContext>>>;
}
