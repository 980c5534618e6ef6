import { runConformance } from '@ids/conformance';
import { createIds, type Id } from '@ids/core';
import { describe, it } from 'vitest';
import { parseUuid7, uuid7 } from '../src/index.js';

/** The counter begins anew in each millisecond, so numbers follow each other within one only. */
function skipped(before: Id, id: Id): bigint {
  const [first, second] = [parseUuid7(String(before)), parseUuid7(String(id))];
  return first.ms === second.ms ? BigInt(second.counter - first.counter - 1) : 0n;
}

runConformance(
  {
    name: 'uuid7',
    module: new URL('./support/subject.ts', import.meta.url),
    guarantees: createIds([uuid7]).plan({ strategy: 'uuid7' }).guarantees,
    skipped,
    fresh: async () => ({}),
  },
  { describe, it },
);
