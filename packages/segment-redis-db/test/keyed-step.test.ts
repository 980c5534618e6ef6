import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KeyMemory } from '../src/keyed/key-memory.js';
import { nextSize } from '../src/keyed/step.js';

const limits = { minStep: 2, maxStep: 100, maxIdsLost: Number.POSITIVE_INFINITY };
const last = (step: number, ageMs: number, left = 0) => ({ step, ageMs, left });

describe('the size of the next segment of a key', () => {
  it.each<[string, number, Parameters<typeof nextSize>]>([
    ['begins small', 2, [last(0, 1e12), 1, limits]],
    ['is twice as many if the last ones were used up soon', 20, [last(10, 5_000), 1, limits]],
    ['is eight times as many if they were used up at once', 80, [last(10, 500), 1, limits]],
    ['is the same if they lasted as long as they should', 10, [last(10, 700_000), 1, limits]],
    ['is half as many if they lasted long', 5, [last(10, 1_300_000), 1, limits]],
    ['is at most maxStep', 100, [last(80, 5_000), 1, limits]],
    ['is as many as a call lacks', 295, [last(10, 5_000, 5), 300, limits]],
    ['is two thirds of what may be lost', 40, [last(80, 5_000), 0, { ...limits, maxIdsLost: 60 }]],
    ['is no more than may be lost', 20, [last(80, 5_000, 40), 41, { ...limits, maxIdsLost: 60 }]],
  ])('%s', (_what, size, args) => {
    expect(nextSize(...args)).toBe(size);
  });
});

describe('what a process remembers of keys', () => {
  it('never goes back', () => {
    const memory = new KeyMemory();
    memory.note('a', 5, 10);
    memory.note('a', 3, 4);
    expect(memory.of('a')).toEqual({ last: 5, top: 10 });
    memory.clear();
    expect(memory.of('a')).toEqual({ last: 0, top: 0 });
  });

  it('is bounded, and keeps the keys that were used last', () => {
    const memory = new KeyMemory(10);
    for (let i = 0; i < 100; i++) {
      memory.note(`key ${i}`, 1, 1);
      memory.note('hot', i, i);
    }
    expect(memory.size).toBeLessThanOrEqual(20);
    expect(memory.of('hot').last).toBe(99);
    expect(memory.of('key 99').last).toBe(1);
    expect(memory.of('key 0').last).toBe(0);
    memory.clear();
  });

  it('lasts for one to two minutes of rest, and keeps nothing afterwards', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const memory = new KeyMemory();
    memory.note('a', 5, 10);
    vi.advanceTimersByTime(119_000);
    expect(memory.of('a')).toEqual({ last: 5, top: 10 });
    vi.advanceTimersByTime(1_000);
    expect(memory.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
