import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { createMysqlDatabase, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import type {} from '@ids/local-services/vitest-setup';
import { describe, inject, it } from 'vitest';
import { segmentInproc } from '../src/index.js';
import { createContext } from './support/subject.js';

const database = inject('databaseUrl');
const ids = createIds([segmentInproc]);

for (const as of ['number', 'bigint', 'string'] as const) {
  runConformance(
    {
      name: `segment-inproc as ${as}`,
      module: new URL('./support/subject.ts', import.meta.url),
      guarantees: ids.plan({ strategy: 'segment-inproc', name: 'order', database, as }).guarantees,
      // Digits without leading zeros do not sort as text.
      compare: (a, b) => Number(BigInt(a) - BigInt(b)),
      fresh: () => createContext(database, uniqueName('segment_inproc'), as),
    },
    { describe, it },
  );
}

const bounded = { strategy: 'segment-inproc', name: 'order', database, maxIdsLost: 150_000 } as const;

runConformance(
  {
    name: 'segment-inproc with a bound on what may be lost',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: ids.plan(bounded).guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: () => createContext(database, uniqueName('segment_inproc'), 'number', bounded.maxIdsLost),
  },
  { describe, it },
);

const ordered = { strategy: 'segment-inproc', name: 'order', database, order: 'real-time' } as const;

runConformance(
  {
    name: 'segment-inproc in real-time order',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: ids.plan(ordered).guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: async () => ({
      ...(await createContext(database, uniqueName('segment_inproc'), 'number')),
      order: ordered.order,
    }),
  },
  { describe, it },
);

runConformance(
  {
    name: 'segment-inproc on MariaDB',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: ids.plan({ strategy: 'segment-inproc', name: 'order', database: inject('mysqlUrl') })
      .guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: async () => createContext(await createMysqlDatabase(inject('mysqlUrl')), 'id_segment', 'number'),
  },
  { describe, it },
);
