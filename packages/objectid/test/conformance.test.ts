import { runConformance } from '@ids/conformance';
import { createIds, type Id } from '@ids/core';
import { describe, it } from 'vitest';
import { type ClassicObjectIdOptions, createObjectIdGenerator, objectid } from '../src/machine-pid/index.js';

const variants: readonly ClassicObjectIdOptions[] = [{}, { layout: 'machine-pid', overflow: 'throw' }];

const counterOf = (id: Id) => BigInt(`0x${String(id).slice(18)}`);

for (const options of variants) {
  runConformance(
    {
      name: `objectid ${JSON.stringify(options)}`,
      module: new URL('./support/subject.ts', import.meta.url),
      guarantees: createIds([objectid]).plan({ strategy: 'objectid', ...options }).guarantees,
      // The counter goes on from one second to the next, and runs over.
      skipped: (before, id) => (counterOf(id) - counterOf(before) - 1n) & 0xff_ffffn,
      fresh: async () => {
        // As a service does: the main thread first, then its worker threads.
        createObjectIdGenerator(options);
        return options;
      },
    },
    { describe, it },
  );
}
