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

  it('is at least what is used up in ten times the latency of the source', () => {
    const step = new AdaptiveStep({ minStep: 10, maxStep: 1_000_000 });
    step.next(0);
    step.answered(5);
    // 300 ids per millisecond, 5 ms away.
    expect(step.next(100, 30_000)).toBe(15_000);
    // No use at all for a while that is shorter than the target.
    expect(step.next(200, 0)).toBe(30_000);
  });

  it('takes the 99th percentile of the last hundred answers for the latency', () => {
    const afterAnswers = (answers: number[]): number => {
      const step = new AdaptiveStep({ minStep: 1, maxStep: 1_000_000 });
      for (const tookMs of answers) step.answered(tookMs);
      step.next(0);
      return step.next(100, 100);
    };
    const usual = Array.from({ length: 99 }, () => 2);
    expect(afterAnswers([700])).toBe(7_000);
    expect(afterAnswers([700, ...usual])).toBe(20);
    expect(afterAnswers([700, 700, ...usual.slice(1)])).toBe(7_000);
    expect(afterAnswers([700, 700, ...usual, 2])).toBe(20);
  });

  it('takes two refills within one tick of the clock for no infinite rate', () => {
    const step = new AdaptiveStep({ minStep: 1, maxStep: 1_000_000 });
    step.answered(0.001);
    step.next(5);
    expect(step.next(5, 3)).toBe(30);
  });

  it('counts as many ids as it reserved where nobody says how many were used', () => {
    const step = new AdaptiveStep({ minStep: 100, maxStep: 1_000_000 });
    step.answered(1);
    step.next(0);
    expect(step.next(1)).toBe(1_000);
  });

  it('has a segment last as long as it is told', () => {
    const step = new AdaptiveStep({ minStep: 100, maxStep: 1_000, targetMs: MINUTE });
    expect([0, 0.9, 2, 4.1].map((minute) => step.next(minute * MINUTE))).toEqual([100, 200, 200, 100]);
  });

  it('halves to whole numbers', () => {
    const step = new AdaptiveStep({ minStep: 5, maxStep: 11 });
    expect([0, 1, 2, 23].map((minute) => step.next(minute * MINUTE))).toEqual([5, 10, 11, 5]);
  });

  it('takes the ends of its ranges', () => {
    expect(new AdaptiveStep({ minStep: 1e9, maxStep: 1e9 }).next(0)).toBe(1e9);
    const tight = new AdaptiveStep({ minStep: 10, maxStep: 10, maxIdsLost: 15 });
    expect([tight.next(0), tight.maxIdsLost, tight.lowWater]).toEqual([10, 15, 5]);
    const free = new AdaptiveStep({ minStep: 1, maxStep: 1 });
    expect([free.maxIdsLost, free.onDemand]).toEqual([Number.POSITIVE_INFINITY, true]);
    expect(new AdaptiveStep({ minStep: 1, maxStep: 2 }).onDemand).toBe(false);
  });

  it('wants the next segment when half a step is left', () => {
    const lowWater = (step: number): number => new AdaptiveStep({ minStep: step, maxStep: step }).lowWater;
    expect([2, 10, 11].map(lowWater)).toEqual([1, 5, 6]);
  });

  it('wants none before it is asked for when ids are reserved one by one', () => {
    const step = new AdaptiveStep({ minStep: 1, maxStep: 1 });
    expect(step.lowWater).toBeLessThan(0);
  });

  it('wants it earlier, up to two steps ahead, when a step that cannot grow is used up in the time of a refill', () => {
    const step = new AdaptiveStep({ minStep: 10, maxStep: 10 });
    step.answered(8);
    step.next(0);
    step.next(10, 10);
    expect(step.lowWater).toBe(16);
    step.next(20, 1_000);
    expect(step.lowWater).toBe(20);
    step.next(60_000, 10);
    expect(step.lowWater).toBe(5);
  });

  it('stays so small that half a segment and one on its way are no more than may be lost', () => {
    for (let maxIdsLost = 2; maxIdsLost < 100; maxIdsLost++) {
      const step = new AdaptiveStep({ minStep: 1, maxStep: 1_000, maxIdsLost });
      step.answered(1_000);
      step.next(0);
      const size = step.next(1, 1_000_000);
      expect(size + Math.ceil(size / 2)).toBeLessThanOrEqual(maxIdsLost);
      expect(size + 1 + Math.ceil((size + 1) / 2)).toBeGreaterThan(maxIdsLost);
      expect(size + step.lowWater).toBeLessThanOrEqual(maxIdsLost);
    }
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
    { minStep: 10, maxStep: 10, maxIdsLost: 14 },
    { minStep: 1, maxStep: 10, maxIdsLost: Number.NaN },
  ])('refuses minStep $minStep with maxStep $maxStep and maxIdsLost $maxIdsLost', (options) => {
    expect(() => new AdaptiveStep(options)).toThrow(RangeError);
  });
});
