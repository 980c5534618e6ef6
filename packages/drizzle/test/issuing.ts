import type { Guarantees, Id, IdGenerator, SyncIdGenerator } from '@ids/core';
import { memoryGenerator } from '@ids/core/strategy';

/** A generator that issues the given ids, again and again. */
export function issuing<T extends Id>(
  ids: readonly [T, ...T[]],
  text: Partial<Guarantees['text']> = {},
): SyncIdGenerator<T> {
  const guarantees: Guarantees = {
    unique: 'process',
    order: { process: 'none', cluster: 'none' },
    gaps: 'never',
    sync: true,
    idType: typeof ids[0] as Guarantees['idType'],
    text: { pattern: /./, maxLength: 20, sortable: false, ...text },
    backends: [],
    discloses: [],
  };
  let count = 0;
  return memoryGenerator({
    strategy: 'local',
    guarantees,
    issue: () => ids[count++ % ids.length] as T,
  });
}

/** As a strategy that has to wait for a server. */
export function waiting<T extends Id>(ids: SyncIdGenerator<T>): IdGenerator<T> {
  return {
    strategy: ids.strategy,
    guarantees: ids.guarantees,
    next: () => ids.next(),
    nextBatch: (count) => ids.nextBatch(count),
    ready: () => ids.ready(),
    health: () => ids.health(),
    close: () => ids.close(),
    [Symbol.asyncDispose]: () => ids.close(),
  };
}
