import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { turnNow } from '../src/strategy.js';

/** `setImmediate` stays real: it ends the turns. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('the clock of a turn', () => {
  it('stands still within a run of synchronous code, and is read anew after an await', async () => {
    await Promise.resolve();
    const read = [turnNow()];
    vi.setSystemTime(2_000);
    read.push(turnNow());
    await Promise.resolve();
    read.push(turnNow());
    expect(read).toEqual([1_000, 1_000, 2_000]);
  });

  it('is read anew for the 257th id of one turn', async () => {
    await Promise.resolve();
    const read = [turnNow()];
    vi.setSystemTime(5_000);
    while (read.length < 257) read.push(turnNow());
    expect(read.slice(0, 256)).toEqual(new Array(256).fill(1_000));
    expect(read[256]).toBe(5_000);
  });
});
