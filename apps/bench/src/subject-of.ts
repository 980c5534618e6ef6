import { type IdGenerator, isSyncGenerator } from '@ids/core';
import type { Subject } from './bench-case.js';

/** How the bench calls a generator. */
export function subjectOf(generator: IdGenerator): Subject {
  return {
    ...(isSyncGenerator(generator) && {
      nextSync: () => generator.nextSync(),
      nextBatchSync: (count: number) => generator.nextBatchSync(count),
    }),
    next: () => generator.next(),
    nextBatch: (count) => generator.nextBatch(count),
    // Without a backend there is nothing to wait for.
    ...(generator.guarantees.backends.length > 0 && { ready: () => generator.ready() }),
    close: () => generator.close(),
  };
}
