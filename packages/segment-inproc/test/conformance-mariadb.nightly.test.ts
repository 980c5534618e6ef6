import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { createMysqlDatabase } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import { describe, inject, it } from 'vitest';
import { segmentInproc } from '../src/index.js';
import { createContext } from './support/subject.js';

const database = inject('mysqlUrl');

runConformance(
  {
    name: 'segment-inproc on MariaDB',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: createIds([segmentInproc]).plan({ strategy: 'segment-inproc', name: 'order', database })
      .guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: async () => createContext(await createMysqlDatabase(database), 'id_segment', 'number'),
  },
  { describe, it },
);
