import { runConformance } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { fromPgUrl } from '@ids/store/postgres';
import { describe, inject, it, onTestFinished } from 'vitest';
import { rowCounter } from '../../src/own-strategy/row-counter.js';

const database = inject('databaseUrl');

runConformance(
  {
    name: 'row-counter',
    module: new URL('../../src/own-strategy/row-counter.ts', import.meta.url),
    guarantees: rowCounter.guarantees({ database, table: 'id_counter', name: 'order' }),
    async fresh() {
      const options = { database, table: uniqueName('counter'), name: 'order' };
      const executor = await fromPgUrl(database, { max: 1 });
      onTestFinished(() => executor.close());
      const store = rowCounter.store?.(options);
      await store?.ensure(executor);
      await store?.create(executor);
      return options;
    },
  },
  { describe, it },
);
