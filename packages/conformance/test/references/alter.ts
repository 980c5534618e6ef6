import { type Id, type IdGenerator, isSyncGenerator, type SyncIdGenerator } from '@ids/core';

/** A generator like `generator` but for the members in `changes`. */
export function alter(generator: IdGenerator, changes: Partial<SyncIdGenerator>): IdGenerator {
  const own: IdGenerator = {
    strategy: generator.strategy,
    guarantees: generator.guarantees,
    next: (options) => generator.next(options),
    nextBatch: (count, options) => generator.nextBatch(count, options),
    ready: (options) => generator.ready(options),
    health: () => generator.health(),
    close: () => generator.close(),
    [Symbol.asyncDispose]: () => generator[Symbol.asyncDispose](),
  };
  const { nextSync, nextBatchSync } = generator as Partial<SyncIdGenerator>;
  return {
    ...own,
    ...(nextSync && { nextSync: nextSync.bind(generator) }),
    ...(nextBatchSync && { nextBatchSync: nextBatchSync.bind(generator) }),
    ...changes,
  };
}

/** A generator whose ids pass through `map`, which is told how many came before. */
export function mapIds(generator: IdGenerator, map: (id: Id, index: number) => Id): IdGenerator {
  let given = 0;
  const one = (id: Id): Id => map(id, given++);
  return alter(generator, {
    next: async (options) => one(await generator.next(options)),
    nextBatch: async (count, options) => (await generator.nextBatch(count, options)).map(one),
    ...(isSyncGenerator(generator) && {
      nextSync: () => one(generator.nextSync()),
      nextBatchSync: (count: number) => generator.nextBatchSync(count).map(one),
    }),
  });
}
