import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { describe, it } from 'vitest';
import { type ClassicObjectIdOptions, createObjectIdGenerator, objectid } from '../src/machine-pid/index.js';

const variants: readonly ClassicObjectIdOptions[] = [
  {},
  { clock: 'turn' },
  { layout: 'machine-pid', overflow: 'throw' },
];

for (const options of variants) {
  runConformance(
    {
      name: `objectid ${JSON.stringify(options)}`,
      module: new URL('./support/subject.ts', import.meta.url),
      guarantees: createIds([objectid]).plan({ strategy: 'objectid', ...options }).guarantees,
      fresh: async () => {
        // As a service does: the main thread first, then its worker threads.
        createObjectIdGenerator(options);
        return options;
      },
    },
    { describe, it },
  );
}
