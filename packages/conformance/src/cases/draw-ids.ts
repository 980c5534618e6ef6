import { type Id, type IdGenerator, isIdError, isSyncGenerator, type SyncIdGenerator } from '@ids/core';
import type { ConformanceSubject } from '../subject.js';
import { withGenerator } from './conformance-case.js';

/** Few, because a strategy may need a round trip for each id. */
const SINGLE = 2_000;
const CONCURRENT = 1_000;
const SINGLE_AT_END = 200;

/** Ids of `nextSync`, in turns with batches of `nextBatchSync`: more than a counter of 16 bits holds. */
const FROM_MEMORY = 70_000;

/** What one generator issued in one long run of calls: more than 100,000 ids. */
export interface LongDraw {
  /**
   * All ids in the order of the calls: sequential `next`, the synchronous calls if there are any, concurrent
   * `next`, `nextBatch`, `next` again.
   */
  readonly ids: readonly Id[];
  readonly batches: readonly { readonly count: number; readonly batch: readonly Id[] }[];
}

const draws = new WeakMap<ConformanceSubject, Promise<LongDraw>>();

/** One run, shared by several cases: some strategies need a tenth of a millisecond for each id. */
export function longDraw(subject: ConformanceSubject): Promise<LongDraw> {
  const known = draws.get(subject);
  if (known !== undefined) return known;
  const draw = withGenerator(subject, async (generator) => {
    const singles = await takeSingly(generator, SINGLE);
    // None of these issues an id.
    await Promise.all([generator.health(), generator.counters?.(), generator.ready()]);
    const fromMemory = await takeSynchronously(generator);
    const concurrent = await Promise.all(Array.from({ length: CONCURRENT }, () => generator.next()));
    const batches: { count: number; batch: Id[] }[] = [];
    for (const count of BATCH_COUNTS) batches.push({ count, batch: await generator.nextBatch(count) });
    const last = await takeSingly(generator, SINGLE_AT_END);
    return {
      ids: [singles, fromMemory, concurrent, ...batches.map(({ batch }) => batch), last].flat(),
      batches,
    };
  });
  draws.set(subject, draw);
  return draw;
}

/** `count` ids by `next`, one after the other. */
export async function takeSingly(generator: IdGenerator, count: number): Promise<Id[]> {
  const ids: Id[] = [];
  while (ids.length < count) ids.push(await generator.next());
  return ids;
}

/** Empty if there are no synchronous calls. A batch that is not in memory is left out. */
async function takeSynchronously(generator: IdGenerator): Promise<Id[]> {
  const ids: Id[] = [];
  const singly = FROM_MEMORY / SYNC_BATCH_COUNTS.length;
  for (const count of SYNC_BATCH_COUNTS) {
    for (let call = 0; call < singly; call++) {
      ids.push(...((await takeFromMemory(generator, (sync) => [sync.nextSync()])) ?? []));
    }
    ids.push(...((await takeFromMemory(generator, (sync) => sync.nextBatchSync(count))) ?? []));
  }
  return ids;
}

/**
 * What `take` returns, or undefined if the generator has no synchronous calls or too few ids in memory. That
 * is not a failure: `ready()` need not provide a whole batch.
 */
export async function takeFromMemory(
  generator: IdGenerator,
  take: (generator: SyncIdGenerator) => Id[],
): Promise<Id[] | undefined> {
  if (!isSyncGenerator(generator)) return undefined;
  await generator.ready();
  return takeCold(generator, take);
}

/** Like `takeFromMemory`, for a generator that may not be ready. */
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
 * The batch sizes of the long draw. Every number up to 250 and every prime up to 1,000 divides one of them:
 * this detects a generator that fails at the multiples of such a number. The others are next to round segment
 * sizes.
 */
const BATCH_COUNTS: readonly number[] = [
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

/** The same for the synchronous calls: every number up to 100 divides one of these. */
export const SYNC_BATCH_COUNTS: readonly number[] = [0, 1, ...range(51, 100)];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function isPrime(value: number): boolean {
  for (let factor = 2; factor * factor <= value; factor++) if (value % factor === 0) return false;
  return value > 1;
}
