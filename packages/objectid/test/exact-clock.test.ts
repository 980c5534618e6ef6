import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { exactNow as ExactNow } from '../src/exact-clock.js';

let exactNow: typeof ExactNow;

/** A module that has read no clock yet. */
async function load(): Promise<void> {
  vi.resetModules();
  ({ exactNow } = await import('../src/exact-clock.node.js'));
}

describe('the clock that ids are dated by in Node.js', () => {
  beforeEach(load);
  afterEach(() => void vi.useRealTimers());

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

  it('shows each step of a clock that a test put in the place of the system, forward and back', () => {
    exactNow();
    vi.useFakeTimers({ toFake: ['Date'] });
    for (const now of [5_000, 5_001, 86_405_000, 4_000]) {
      vi.setSystemTime(now);
      expect(exactNow()).toBe(now);
    }
    vi.useRealTimers();
    expect(exactNow()).toBeGreaterThan(86_405_000);
  });

  it('shows each step of a clock that a test had put there before the package was loaded', async () => {
    vi.useFakeTimers();
    await load();
    for (const now of [5_000, 86_405_000, 4_000]) {
      vi.setSystemTime(now);
      expect(exactNow()).toBe(now);
    }
  });
});

describe('with a monotonic clock set by hand', () => {
  const MILLISECOND = 1_000_000n;
  let monotonic: bigint;

  beforeEach(async () => {
    vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => monotonic);
    await load();
  });
  afterEach(() => void vi.restoreAllMocks());

  /** What it says at `first`, and at each of `later`, when the system's clock has gone on. */
  function readAt(first: bigint, ...later: bigint[]): { read: number; again: boolean[] } {
    monotonic = first;
    // Nothing is kept at the end of a second.
    while (Date.now() % 1_000 > 900);
    const read = exactNow();
    while (Date.now() <= read);
    const again = later.map((time) => {
      monotonic = time;
      return exactNow() > read;
    });
    return { read, again };
  }

  it('Date.now() is read again after a millisecond', () => {
    const start = 7n * MILLISECOND;
    const { again } = readAt(start, start, start + MILLISECOND - 1n, start + MILLISECOND);
    expect(again).toEqual([false, false, true]);
  });

  it('it is read at the first id even where the monotonic clock has just begun', () => {
    const before = Date.now();
    expect(readAt(0n).read).toBeGreaterThanOrEqual(before);
  });

  it('it is read at once where the monotonic clock went back, as in a process that was restored elsewhere', () => {
    expect(readAt(9_000n * MILLISECOND, 5n).again).toEqual([true]);
  });
});
