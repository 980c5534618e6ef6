import { type Id, type IdGenerator, isIdError, isSyncGenerator, type SyncIdGenerator } from '@ids/core';

/** `count` ids by `next`, one after the other. */
export async function takeSingly(generator: IdGenerator, count: number): Promise<Id[]> {
  const ids: Id[] = [];
  while (ids.length < count) ids.push(await generator.next());
  return ids;
}

/** `total` ids by `nextBatch`, `size` at a time. */
export async function takeBatches(generator: IdGenerator, total: number, size: number): Promise<Id[]> {
  const batches: Id[][] = [];
  for (let taken = 0; taken < total; taken += size) batches.push(await generator.nextBatch(size));
  return batches.flat();
}

/**
 * What `take` gets from memory, or no ids where the generator has no synchronous calls or too few in memory: that is
 * no failure, and `ready()` need not mend it for a whole batch.
 */
export async function takeFromMemory(
  generator: IdGenerator,
  take: (generator: SyncIdGenerator) => Id[],
): Promise<Id[]> {
  if (!isSyncGenerator(generator)) return [];
  await generator.ready();
  try {
    return take(generator);
  } catch (error) {
    if (isIdError(error) && error.code === 'ERR_IDS_NOT_READY') return [];
    throw error;
  }
}
