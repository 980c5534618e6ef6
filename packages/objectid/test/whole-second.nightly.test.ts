import { describe, expect, it } from 'vitest';
import { firstNotRising, issuerAt, SECOND, secondOf } from './support/issuer-at.js';

const ROOM = 2 ** 24;

/** How many of the rising `ids` lie in each second, by bisection. */
function countSeconds(ids: readonly string[]): [number, number][] {
  const [first, last] = [secondOf(ids[0] ?? ''), secondOf(ids.at(-1) ?? '')];
  if (first === last) return [[first, ids.length]];
  const middle = ids.length >> 1;
  return [...countSeconds(ids.slice(0, middle)), ...countSeconds(ids.slice(middle))];
}

describe('the ids of one second', () => {
  it('rise without a repeat for 2^24 + 10 ids while the clock stands still, 2^24 to the second', () => {
    const { issuer } = issuerAt({ counter: ROOM - 4 });
    const perSecond = new Map<number, number>();
    let last = '';
    // Each id lies above the one before it: none can repeat, and nothing need be collected.
    for (let left = ROOM + 10; left > 0; left -= 50_000) {
      const ids = issuer.issueBatch(Math.min(left, 50_000), 10);
      expect(firstNotRising(ids, last)).toBe(-1);
      for (const [second, count] of countSeconds(ids)) {
        perSecond.set(second, count + (perSecond.get(second) ?? 0));
      }
      last = ids.at(-1) ?? last;
    }
    expect([...perSecond]).toEqual([
      [SECOND, 4],
      [SECOND + 1, ROOM],
      [SECOND + 2, 6],
    ]);
  });
});
