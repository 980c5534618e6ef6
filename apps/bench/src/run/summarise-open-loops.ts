import { median } from 'simple-statistics';
import { type OpenLoopMeasure, PERCENTILES } from '../measure/open-loop.js';
import { LOAD_SHARES } from '../profile.js';
import type { OpenLoopResult } from '../result.js';

/** One result per share of the capacity, over the blocks that were reached. */
export function openLoopResults(blocks: readonly (readonly OpenLoopMeasure[] | null)[]): OpenLoopResult[] {
  return LOAD_SHARES.flatMap((share, index) => {
    const measures = blocks.flatMap((block) => block?.[index] ?? []);
    if (measures.length === 0) return [];
    return [
      {
        share,
        rate: median(measures.map(({ rate }) => rate)),
        latency: PERCENTILES.map((_, place) => {
          const values = measures.flatMap(({ latency }) => latency[place] ?? []);
          return values.length === 0 ? null : median(values);
        }),
        max: Math.max(...measures.map(({ max }) => max)),
        calls: measures.reduce((sum, { calls }) => sum + calls, 0),
        overloaded: measures.some(({ overloaded }) => overloaded),
      },
    ];
  });
}
