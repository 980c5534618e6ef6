import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { exactNow as ExactNow } from '../src/exact-clock.js';
import { secondOf } from './support/issuer-at.js';

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
      for (const now of [5_000, 86_405_000, 4_000]) {
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
  const MILLISECOND = 1_000_000n;
  const SECOND = 1_790_000_000_000;
  let monotonic: bigint;
  let system: number;

  beforeEach(async () => {
    [monotonic, system] = [7n * MILLISECOND, SECOND];
    const hrtimeBigInt = () => monotonic;
    const now = () => system;
    // What the module takes for the system's own.
    now.toString = () => 'function now() { [native code] }';
    vi.stubGlobal('process', { ...process, hrtime: { bigint: hrtimeBigInt } });
    vi.stubGlobal('Date', Object.assign(class extends Date {}, { now }));
    await load();
  });
  afterEach(() => void vi.unstubAllGlobals());

  /** What it says at `first`, and at each of `later`, when the system's clock has gone on. */
  function readAt(first: bigint, ...later: bigint[]): { read: number; again: boolean[] } {
    monotonic = first;
    const read = exactNow();
    system++;
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

  it('it is read anew at the end of a second, which may be over within the millisecond', () => {
    const readings = [997, 998, 999, 1_000, 1_001].map((ms) => {
      monotonic += ms === 998 ? MILLISECOND : 0n;
      system = SECOND + ms;
      return exactNow() - SECOND;
    });
    expect(readings).toEqual([997, 998, 999, 1_000, 1_000]);
  });

  it('it is read at the first id even where the monotonic clock has just begun', () => {
    expect(readAt(0n).read).toBe(SECOND);
  });

  it('it is read at once where the monotonic clock went back, as in a process that was restored elsewhere', () => {
    expect(readAt(9_000n * MILLISECOND, 5n).again).toEqual([true]);
  });

  it('generators and new ObjectIds are dated by it', async () => {
    const { createObjectIdGenerator } = await import('../src/index.js');
    const { ObjectId } = await import('../src/bson/index.js');
    const issue = () => [createObjectIdGenerator().nextSync(), new ObjectId().toHexString()].map(secondOf);
    const first = issue();
    expect(first).toEqual([SECOND / 1_000, SECOND / 1_000]);
    // While it stands still, a second that is over is not noticed, which would be so by Date.now() alone.
    system += 1_000;
    expect(issue()).toEqual(first);
    monotonic += MILLISECOND;
    expect(issue()).toEqual([SECOND / 1_000 + 1, SECOND / 1_000 + 1]);
  });
});
