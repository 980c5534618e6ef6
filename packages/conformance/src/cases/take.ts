import { type Id, type IdGenerator, isIdError, isSyncGenerator, type SyncIdGenerator } from '@ids/core';

/** `count` ids by `next`, one after the other. */
export async function takeSingly(generator: IdGenerator, count: number): Promise<Id[]> {
  const ids: Id[] = [];
  while (ids.length < count) ids.push(await generator.next());
  return ids;
}

/**
 * What `take` gets from memory, or undefined where the generator has no synchronous calls or too few ids in memory: that
 * is no failure, and `ready()` need not mend it for a whole batch.
 */
export async function takeFromMemory(
  generator: IdGenerator,
  take: (generator: SyncIdGenerator) => Id[],
): Promise<Id[] | undefined> {
  if (!isSyncGenerator(generator)) return undefined;
  await generator.ready();
  return takeCold(generator, take);
}

/** As `takeFromMemory`, of a generator that may not be ready. */
export function takeCold(
  generator: IdGenerator,
  take: (generator: SyncIdGenerator) => Id[],
): Id[] | undefined {
  if (!isSyncGenerator(generator)) return undefined;
  try {
    return take(generator);
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_NOT_READY') return undefined;
    throw error;
  }
}
