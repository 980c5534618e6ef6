import { describe, expect, it } from 'vitest';
import { parseProcStat } from '../src/process/proc.js';
import { startTimeOf } from '../src/process/process-start.js';

/** /proc/<pid>/stat with this name of the program; every other field is its number. */
function statOf(name: string): string {
  const after = Array.from({ length: 49 }, (_, index) => index + 4).join(' ');
  return `4711 (${name}) S ${after}\n`;
}

describe('/proc/<pid>/stat', () => {
  it.each([
    'node',
    'a b',
    'node) S 1 (x',
    ')',
    '((',
    ') R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 (x',
  ])('is read after the last parenthesis when the program is called %j', (name) => {
    expect(parseProcStat(statOf(name))).toEqual({
      pid: 4711,
      state: 'S',
      userTicks: 14,
      systemTicks: 15,
      startTicks: 22,
    });
  });

  it.each(['', '4711 (node) S 1 2 3', '4711 node S'])('says nothing when it is %j', (text) => {
    expect(parseProcStat(text)).toBeUndefined();
  });
});

describe('the start time', () => {
  const origin = 1_795_248_750_560.931;

  it('lies as many whole ticks before the time origin as the process was old then', () => {
    const start = (ticks: number) => startTimeOf({ origin, ticks, originSinceBoot: 50_004.9 });
    expect(start(5_000)).toBe(1_795_248_750_560_931n);
    expect(start(4_999)).toBe(1_795_248_750_550_931n);
    expect(start(4_000)).toBe(1_795_248_740_560_931n);
  });

  it('is the time origin where the operating system tells nothing', () => {
    const start = startTimeOf({ origin, ticks: undefined, originSinceBoot: undefined });
    expect(start).toBe(1_795_248_750_560_931n);
    for (const known of [{ ticks: 5_000 }, { originSinceBoot: 50_004.9 }]) {
      const half = { origin, ticks: undefined, originSinceBoot: undefined, ...known };
      expect(startTimeOf(half)).toBe(1_795_248_750_560_931n);
    }
  });

  it('is never after the time origin', () => {
    expect(startTimeOf({ origin, ticks: 6_000, originSinceBoot: 50_000 })).toBe(1_795_248_750_560_931n);
  });
});
