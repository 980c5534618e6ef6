import type { Id } from '@ids/core';
import type { Compare } from './compare-ids.js';
import type { OrderTrace } from './record-order.js';

/** A few calls of one process, evenly spread over the run: enough to draw. */
export interface OrderSample {
  /** When each was complete, in milliseconds since the first call of all processes. */
  readonly at: readonly number[];
  /** The place of its id among the ids of all processes, from 0 for the least. */
  readonly rank: readonly number[];
}

const DRAWN = 60;

/** By process. In O(n log n) for n calls. */
export function sampleOrder(traces: readonly OrderTrace[], compare: Compare): OrderSample[] {
  const ids = traces.flatMap((trace) => trace.ids);
  const places = ids.map((_, place) => place);
  places.sort((a, b) => compare(ids[a] as Id, ids[b] as Id));
  const rankOf = new Uint32Array(ids.length);
  for (const [rank, place] of places.entries()) rankOf[place] = rank;
  const start = traces.reduce((least, { invoked }) => Math.min(least, invoked[0] ?? least), Infinity);
  let before = 0;
  return traces.map(({ ids: own, completed }) => {
    const count = Math.min(DRAWN, own.length);
    const drawn = Array.from({ length: count }, (_, i) => Math.floor((i * own.length) / count));
    const sample = {
      at: drawn.map((index) => Math.round(((completed[index] as number) - start) / 1e4) / 100),
      rank: drawn.map((index) => rankOf[before + index] as number),
    };
    before += own.length;
    return sample;
  });
}
