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
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
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

  const fakes: [string, () => unknown][] = [
    ['of Date and all timers', () => vi.useFakeTimers()],
    [
      'of Date.now(), as a proxy',
      () => vi.stubGlobal('Date', { now: new Proxy(Date.now, { apply: () => fakeNow }) }),
    ],
    [
      'of Date.now(), as a bound function',
      () => vi.stubGlobal('Date', { now: (() => fakeNow).bind(undefined) }),
    ],
  ];
  let fakeNow = 0;

  it.each(fakes)(
    'shows each step of a clock that a test had put there before the package was loaded: %s',
    async (_, fake) => {
      fake();
      await load();
      for (const now of [5_000, 5_001, 5_002, 86_405_000, 4_000]) {
        fakeNow = now;
        if (vi.isFakeTimers()) vi.setSystemTime(now);
        expect(exactNow()).toBe(now);
      }
    },
  );

  it.each(['before', 'after'])(
    'goes on where a test stopped the monotonic clock %s the package was loaded',
    async (when) => {
      if (when === 'before') vi.useFakeTimers({ toFake: ['hrtime'] });
      await load();
      if (when === 'after') vi.useFakeTimers({ toFake: ['hrtime'] });
      const read = exactNow();
      while (Date.now() < read + 3);
      expect(exactNow()).toBeGreaterThan(read);
    },
  );

  it.each([undefined, {}])('is Date.now() where there is no other', async (process) => {
    vi.stubGlobal('process', process);
    await load();
    const before = Date.now();
    const now = exactNow();
    expect(now >= before && now <= Date.now()).toBe(true);
  });
});

describe('with both clocks set by hand', () => {
  const MICROSECOND = 1_000n;
  let monotonic: bigint;
  let system: number;
  let reads: number;

  beforeEach(async () => {
    [monotonic, system, reads] = [7_000_000n, 1_000, 0];
    const hrtimeBigInt = () => monotonic;
    const now = () => {
      reads++;
      return system;
    };
    // What the module takes for the system's own.
    now.toString = () => 'function now() { [native code] }';
    vi.stubGlobal('process', { ...process, hrtime: { bigint: hrtimeBigInt } });
    vi.stubGlobal('Date', { now });
    await load();
  });
  afterEach(() => void vi.unstubAllGlobals());

  /** What is read at `microseconds` after the start, when the system's clock shows `ms`. */
  function readAt(microseconds: number, ms: number): number {
    monotonic = 7_000_000n + BigInt(microseconds) * MICROSECOND;
    system = ms;
    return exactNow();
  }

  it('a millisecond whose start was seen is kept until it is nearly over, and the clock read then', () => {
    expect([readAt(0, 1_000), readAt(300, 1_000), readAt(400, 1_001)]).toEqual([1_000, 1_000, 1_001]);
    expect(reads).toBe(3);
    // It began after 300, and so lasts until 1,300 at least.
    expect([readAt(500, 1_002), readAt(1_289, 1_002)]).toEqual([1_001, 1_001]);
    expect(reads).toBe(3);
    expect([readAt(1_290, 1_001), readAt(1_350, 1_001), readAt(1_360, 1_002)]).toEqual([1_001, 1_001, 1_002]);
    expect(reads).toBe(6);
    expect(readAt(1_360 + 979, 1_003)).toBe(1_002);
    expect(readAt(1_360 + 981, 1_003)).toBe(1_003);
  });

  it('one whose start was not seen is read each time', () => {
    expect([readAt(0, 1_000), readAt(10, 1_005), readAt(20, 1_006), readAt(1_500, 1_007)]).toEqual([
      1_000, 1_005, 1_006, 1_007,
    ]);
    expect(reads).toBe(4);
    // Between the two readings it may have begun long ago.
    expect(readAt(1_501, 1_008)).toBe(1_008);
    expect(readAt(5_000, 1_012)).toBe(1_012);
    expect(readAt(5_001, 1_013)).toBe(1_013);
    expect([readAt(7_000, 1_020), readAt(8_000, 1_021), readAt(10_000, 1_022)]).toEqual([
      1_020, 1_021, 1_022,
    ]);
  });

  it('a step of the system clock shows within a millisecond', () => {
    readAt(0, 1_000);
    expect(readAt(1, 1_001)).toBe(1_001);
    expect(readAt(2, 90_000)).toBe(1_001);
    expect(readAt(992, 90_000)).toBe(90_000);
    expect(readAt(993, 500)).toBe(500);
    expect(readAt(994, 499)).toBe(499);
  });

  it('it is read at the first id even where the monotonic clock has just begun', () => {
    expect(readAt(-7_000, 1_000)).toBe(1_000);
  });

  it('it is read at once where the monotonic clock went back, as in a process that was restored elsewhere', () => {
    readAt(900_000, 1_000);
    expect(readAt(900_001, 1_001)).toBe(1_001);
    expect([readAt(5, 1_002), readAt(6, 1_003), readAt(7, 1_003)]).toEqual([1_002, 1_003, 1_003]);
    // Nothing is kept from before it went back.
    expect(readAt(900_002, 2_000)).toBe(2_000);
  });
});
