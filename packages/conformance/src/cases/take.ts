import { type Id, type IdGenerator, isIdError, isSyncGenerator, type SyncIdGenerator } from '@ids/core';

/** `count` ids by `next`, one after the other. */
export async function takeSingly(generator: IdGenerator, count: number): Promise<Id[]> {
  const ids: Id[] = [];
  while (ids.length < count) ids.push(await generator.next());
  return ids;
}

/**
 * What `take` gets from memory, or undefined where the generator has no synchronous calls or too few ids in
 * memory: that is no failure, and `ready()` need not mend it for a whole batch.
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

/**
 * The counts of the long draw. Every number up to 250 and every prime up to 1,000 divides one of
 * them, so that a batch that is wrong at the multiples of such a number is seen; the others are the
 * edges of round segments.
 */
export const BATCH_COUNTS: readonly number[] = [
  0,
  1,
  ...range(126, 250),
  ...range(251, 1_000).filter(isPrime),
  512,
  999,
  1_000,
  1_001,
  1_024,
];

/** For the synchronous calls: every number up to 100 divides one of these. */
export const SYNC_BATCH_COUNTS: readonly number[] = [0, 1, ...range(51, 100)];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function isPrime(value: number): boolean {
  for (let factor = 2; factor * factor <= value; factor++) if (value % factor === 0) return false;
  return value > 1;
}

/** Milliseconds that a case waits for calls which must settle. Far above what any strategy needs. */
const SETTLE_MS = 3_000;

/** As `Promise.allSettled`, with undefined for the promises that are still pending when the time is over. */
export async function settleWithin<T>(
  promises: readonly Promise<T>[],
): Promise<(PromiseSettledResult<T> | undefined)[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SETTLE_MS, undefined);
  });
  const results = await Promise.all(
    promises.map((promise) => Promise.race([Promise.allSettled([promise]).then(([result]) => result), late])),
  );
  clearTimeout(timer);
  return results;
}
