import { describe, expect, it } from 'vitest';
import { exactNow } from '../src/exact-clock.node.js';

// With the clocks of the system, which need not run at the same rate.
describe('the clock that ids are dated by in Node.js', () => {
  it('is at most one behind Date.now(), never ahead of it, and in the same second', () => {
    const wrong: unknown[] = [];
    // Longer than a second, so that one ends meanwhile.
    for (const end = Date.now() + 1_010; Date.now() < end; ) {
      const before = Date.now();
      const now = exactNow();
      const after = Date.now();
      const isSame =
        now >= before - 1 && now <= after && Math.floor(now / 1_000) >= Math.floor(before / 1_000);
      if (!isSame) wrong.push({ before, now, after });
    }
    expect(wrong).toEqual([]);
  });
});
