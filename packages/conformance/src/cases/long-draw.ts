import type { Id } from '@ids/core';
import type { ConformanceSubject } from '../subject.js';
import { BATCH_COUNTS, takeSingly } from './take.js';
import { withGenerator } from './with-generator.js';

/** Few, because a strategy may need a round trip for each. */
const SINGLE = 2_000;
const CONCURRENT = 1_000;
const SINGLE_AT_END = 200;

/** What one generator gave in one long run of calls, more than 100,000 ids. */
export interface LongDraw {
  /** All ids in the order of the calls: by `next`, by `next` at once, by `nextBatch`, by `next` again. */
  readonly ids: readonly Id[];
  readonly batches: readonly { readonly count: number; readonly batch: readonly Id[] }[];
}

const draws = new WeakMap<ConformanceSubject, Promise<LongDraw>>();

/** One run, looked at by several cases: some strategies need a tenth of a millisecond for each id. */
export function longDraw(subject: ConformanceSubject): Promise<LongDraw> {
  const known = draws.get(subject);
  if (known !== undefined) return known;
  const draw = withGenerator(subject, async (generator) => {
    const singles = await takeSingly(generator, SINGLE);
    const concurrent = await Promise.all(Array.from({ length: CONCURRENT }, () => generator.next()));
    const batches: { count: number; batch: Id[] }[] = [];
    for (const count of BATCH_COUNTS) batches.push({ count, batch: await generator.nextBatch(count) });
    const last = await takeSingly(generator, SINGLE_AT_END);
    return { ids: [singles, concurrent, ...batches.map(({ batch }) => batch), last].flat(), batches };
  });
  draws.set(subject, draw);
  return draw;
}
