import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHistory, type HistoryLevel } from '../../src/index.js';
import { histories } from './histories.js';
import { naiveHolds } from './naive-check.js';

const levels: HistoryLevel[] = ['unique', 'increasing', 'fifo', 'real-time', 'k-sorted'];
const kinds = {
  number: histories((n) => n),
  bigint: histories((n) => BigInt(n) + 2n ** 60n),
  string: histories((n) => `id-${String(n).padStart(3, '0')}`),
};

describe('the checker agrees with the definitions, pair by pair,', () => {
  for (const level of levels) {
    for (const [kind, arbitrary] of Object.entries(kinds)) {
      it(`on ${level} for ids that are ${kind}`, () => {
        const verdicts = { true: 0, false: 0 };
        const property = fc.property(arbitrary, fc.integer({ min: 0, max: 5 }), (history, skewMs) => {
          const { ok } = checkHistory(history, { levels: [level], skewMs });
          verdicts[`${ok}`] += 1;
          expect(ok).toBe(naiveHolds(history, level, skewMs));
        });
        fc.assert(property, { numRuns: 500 });
        // Histories that were all good or all bad would prove nothing.
        expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(25);
      });
    }
  }

  it('whatever the order in which the records come', () => {
    const shuffled = kinds.number.chain((history) =>
      fc
        .shuffledSubarray(history.records, { minLength: history.records.length })
        .map((records) => ({ history, other: { ...history, records } })),
    );
    fc.assert(
      fc.property(shuffled, ({ history, other }) => {
        const check = { levels, skewMs: 2 };
        expect(checkHistory(other, check).counts).toEqual(checkHistory(history, check).counts);
      }),
    );
  });
});
