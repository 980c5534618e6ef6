import { describe, expect, it } from 'vitest';
import { exactNow } from '../src/exact-clock.node.js';

// With the clocks of the system, which need not run at the same rate.
describe('the clock that ids are dated by in Node.js', () => {
  it('is Date.now(), to the millisecond', () => {
    const wrong: unknown[] = [];
    for (const end = Date.now() + 200; Date.now() < end; ) {
      const before = Date.now();
      // Several of one burst, so that readings are kept.
      const readings = Array.from({ length: 50 }, exactNow);
      const after = Date.now();
      const first = readings.findIndex((now, at) => now < (readings[at - 1] ?? before));
      if (first >= 0 || (readings.at(-1) ?? 0) > after) wrong.push({ before, readings, after });
    }
    expect(wrong).toEqual([]);
  });
});
