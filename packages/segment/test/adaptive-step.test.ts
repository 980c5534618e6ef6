import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AdaptiveStep } from '../src/index.js';

const MINUTE = 60_000;

describe('AdaptiveStep', () => {
  it('starts with the least step', () => {
    expect(new AdaptiveStep({ minStep: 100, maxStep: 1_000 }).next(0)).toBe(100);
  });

  it('doubles while segments last less than ten minutes, up to the most', () => {
    const step = new AdaptiveStep({ minStep: 100, maxStep: 350 });
    expect([0, 9, 18, 27].map((minute) => step.next(minute * MINUTE))).toEqual([100, 200, 350, 350]);
  });

  it('keeps a step that lasts from ten to twenty minutes', () => {
    const step = new AdaptiveStep({ minStep: 100, maxStep: 1_000 });
    expect([0, 1, 11, 31].map((minute) => step.next(minute * MINUTE))).toEqual([100, 200, 200, 200]);
  });

  it('halves when a segment lasts more than twenty minutes, down to the least', () => {
    const step = new AdaptiveStep({ minStep: 90, maxStep: 1_000 });
    expect([0, 1, 2, 23, 44, 65].map((minute) => step.next(minute * MINUTE))).toEqual([
      90, 180, 360, 180, 90, 90,
    ]);
  });

  it('never changes when the least is the most', () => {
    const step = new AdaptiveStep({ minStep: 7, maxStep: 7 });
    expect([0, 1, 100].map((minute) => step.next(minute * MINUTE))).toEqual([7, 7, 7]);
  });

  it('reserves a batch that is larger than the most step at once', () => {
    const step = new AdaptiveStep({ minStep: 10, maxStep: 20 });
    expect([step.next(0, 5_000), step.next(1)]).toEqual([5_000, 20]);
  });

  it('gives a whole number between the least and the most for any past', () => {
    const bounds = fc.tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e9 }));
    fc.assert(
      fc.property(bounds, fc.array(fc.nat({ max: 3_600_000 })), ([a, b], pauses) => {
        const [minStep, maxStep] = [Math.min(a, b), Math.max(a, b)];
        const step = new AdaptiveStep({ minStep, maxStep });
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const size = step.next(now);
          expect(Number.isInteger(size) && size >= minStep && size <= maxStep).toBe(true);
        }
      }),
    );
  });

  it.each([
    { minStep: 0, maxStep: 10 },
    { minStep: 1.5, maxStep: 10 },
    { minStep: 11, maxStep: 10 },
    { minStep: 1, maxStep: 1e9 + 1 },
    { minStep: Number.NaN, maxStep: 10 },
  ])('refuses minStep $minStep with maxStep $maxStep', (options) => {
    expect(() => new AdaptiveStep(options)).toThrow(RangeError);
  });
});
