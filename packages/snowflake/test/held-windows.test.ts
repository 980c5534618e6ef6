import { beforeEach, describe, expect, it } from 'vitest';
import { HeldWindows } from '../src/windows/held-windows.js';

const SECOND = 1_000;
let stamps: string[] = [];
/** What the monotonic clock shows, in milliseconds. */
let clock = 0;
beforeEach(() => {
  stamps = [];
});

/** Four numbers per millisecond. The monotonic clock is at 0 when the database's shows 50,000. */
function windows(unitMs: 1 | 1_000 = 1): HeldWindows {
  return new HeldWindows(
    { unitMs, sequenceBits: 2 },
    () => BigInt(Math.round(clock * 1e6)),
    (stamp, slot) => stamps.push(`${stamp}/${slot}`),
  );
}

/** The windows, when the clock shows `now`. */
function at(held: HeldWindows, now: number): HeldWindows {
  clock = now;
  return held;
}

function tryTake(held: HeldWindows, now: number): number {
  return at(held, now).tryTake();
}

function taken(held: HeldWindows, now: number, count: number): number[] {
  return Array.from({ length: count }, () => tryTake(held, now));
}

describe('held windows', () => {
  it('give nothing before there are any', () => {
    const held = windows();
    expect(tryTake(held, 0)).toBe(-1);
    expect(at(held, 0).remaining()).toBe(0);
    expect(held.taken).toBe(0);
    expect(stamps).toEqual([]);
  });

  it('follow the clock that the answer showed, and begin the sequence anew at each stamp', () => {
    const held = windows();
    held.add({ slot: 3, from: 50_000, until: 52_000 }, 50_000, 0);
    expect(taken(held, 0.5, 2)).toEqual([0, 1]);
    expect(taken(held, 7.9, 2)).toEqual([0, 1]);
    expect(stamps).toEqual(['50000/3', '50007/3']);
    expect(held.taken).toBe(4);
  });

  it('go to the next stamp when a sequence is used up, and stay there until the clock is past it', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 52_000 }, 50_000, 0);
    expect(taken(held, 0, 6)).toEqual([0, 1, 2, 3, 0, 1]);
    expect(at(held, 0).isAhead()).toBe(true);
    expect(taken(held, 1.9, 1)).toEqual([2]);
    expect(stamps).toEqual(['50000/0', '50001/0']);
    expect(taken(held, 2, 1)).toEqual([0]);
    expect(stamps).toHaveLength(3);
  });

  it('never give a stamp outside of a window, whatever the clock says', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 50_002 }, 50_000, 0);
    expect(taken(held, 1, 5)).toEqual([0, 1, 2, 3, -1]);
    expect(tryTake(held, 0)).toBe(-1);
    held.add({ slot: 0, from: 50_002, until: 50_004 }, 50_001, 1);
    expect(tryTake(held, 3_600 * SECOND)).toBe(-1);
    held.add({ slot: 0, from: 60_000, until: 60_002 }, 50_005, 5);
    expect(tryTake(held, 5)).toBe(0);
    expect(stamps).toEqual(['50001/0', '60000/0']);
  });

  it('never go back, also if the clock or a later window does', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 52_000 }, 50_000, 0);
    tryTake(held, 100);
    held.add({ slot: 0, from: 50_050, until: 50_110 }, 49_000, 100);
    expect(taken(held, 100, 4)).toEqual([1, 2, 3, 0]);
    expect(stamps).toEqual(['50100/0', '50101/0']);
  });

  it('begin a window of another slot after the last stamp, so that ids increase', () => {
    const held = windows();
    held.add({ slot: 9, from: 50_000, until: 50_001 }, 50_000, 0);
    expect(taken(held, 0, 1)).toEqual([0]);
    held.add({ slot: 2, from: 50_000, until: 52_000 }, 50_000, 0);
    expect(taken(held, 0, 5)).toEqual([1, 2, 3, 0, 1]);
    expect(stamps).toEqual(['50000/9', '50001/2']);
  });

  it('count what is left over several windows that overlap', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 50_010 }, 50_000, 0);
    held.add({ slot: 0, from: 50_005, until: 50_020 }, 50_000, 0);
    tryTake(held, 0);
    expect(at(held, 0).remaining()).toBe(3 + 19 * 4);
    expect(at(held, 8.5).remaining()).toBe(12 * 4);
    expect(at(held, 8).timeLeft()).toBe(12);
    expect(at(held, 20).remaining()).toBe(0);
    expect(at(held, 30).timeLeft()).toBe(0);
  });

  it('count a stamp once where one window lies within another', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 50_010 }, 50_000, 0);
    held.add({ slot: 0, from: 50_002, until: 50_005 }, 50_000, 0);
    held.add({ slot: 0, from: 50_008, until: 50_012 }, 50_000, 0);
    expect(at(held, 0).remaining()).toBe(12 * 4);
    expect(taken(held, 0, 13 * 4).indexOf(-1)).toBe(12 * 4);
  });

  it('last until the end of the newest, of any number of windows', () => {
    const held = windows();
    expect(at(held, 0).timeLeft()).toBe(0);
    for (const [count, until] of [50_010, 50_020, 50_030].entries()) {
      held.add({ slot: 0, from: 50_000 + 10 * count, until }, 50_000, 0);
      expect(at(held, 4).timeLeft()).toBe(until - 50_004);
    }
  });

  it('are ahead of the clock until it reaches the next stamp', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 52_000 }, 50_000, 0);
    taken(held, 0, 6);
    expect([0, 1.99, 2, 3].map((now) => at(held, now).isAhead())).toEqual([true, true, false, false]);
  });

  it('take runs of a sequence', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 50_002 }, 50_000, 0);
    expect(at(held, 0).prepare(4)).toBe(true);
    expect([held.takeRange(3), held.left]).toEqual([{ low: 0, high: 2 }, 1]);
    expect([held.takeRange(3), held.left]).toEqual([{ low: 3, high: 3 }, 0]);
    expect(held.taken).toBe(4);
  });

  it('count in seconds where the layout does', () => {
    const held = windows(1_000);
    held.add({ slot: 0, from: 51_000, until: 53_000 }, 50_400, 0);
    expect(taken(held, 0, 5)).toEqual([0, 1, 2, 3, 0]);
    expect(taken(held, 1_700, 1)).toEqual([1]);
    expect(stamps).toEqual(['51000/0', '52000/0']);
    expect(tryTake(held, 2_600)).toBe(-1);
    held.add({ slot: 0, from: 53_000, until: 56_000 }, 53_000, 2_600);
    expect(at(held, 2_600).remaining()).toBe(3 * 4);
  });

  it('give nothing after they were cleared', () => {
    const held = windows();
    held.add({ slot: 0, from: 50_000, until: 52_000 }, 50_000, 0);
    tryTake(held, 0);
    held.clear();
    expect(tryTake(held, 0)).toBe(-1);
    expect(held.taken).toBe(1);
  });
});
