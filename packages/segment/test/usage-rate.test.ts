import { describe, expect, it } from 'vitest';
import { UsageRate } from '../src/index.js';

describe('UsageRate', () => {
  it('is unknown in the first second', () => {
    const rate = new UsageRate(5_000);
    expect(rate.look(100, 5_999)).toBe(0);
    expect(rate.look(100, 6_000)).toBe(100);
  });

  it('is that of the last ten seconds, when somebody looks every second', () => {
    const rate = new UsageRate(0);
    for (let second = 1; second <= 60; second++) rate.look(second * 500, second * 1_000);
    for (let second = 61; second <= 70; second++) rate.look(30_000, second * 1_000);
    expect(rate.look(30_000, 70_000)).toBe(0);
    for (let second = 71; second <= 80; second++) rate.look(30_000 + (second - 70) * 7, second * 1_000);
    expect(rate.look(30_070, 80_000)).toBe(7);
  });

  it('goes back to the last look when that is longer ago', () => {
    const rate = new UsageRate(0);
    rate.look(1_000, 5_000);
    rate.look(1_000, 600_000);
    expect(rate.look(1_600, 1_200_000)).toBe(1);
  });

  it('goes back ten seconds to the millisecond, when somebody looks every second', () => {
    const rate = new UsageRate(0);
    for (let second = 1; second < 11; second++) rate.look(50, second * 1_000);
    expect(rate.look(50, 11_000)).toBe(0);
  });

  it('remembers one look a second', () => {
    const rate = new UsageRate(0);
    for (const [used, ms] of [
      [0, 1_000],
      [0, 2_000],
      [105, 2_500],
    ] as const)
      rate.look(used, ms);
    for (let second = 3; second <= 12; second++) rate.look(105, second * 1_000);
    expect(rate.look(105, 12_500)).toBe(10);
  });

  it('is not disturbed by looks in quick succession', () => {
    const rate = new UsageRate(0);
    for (let ms = 1; ms <= 3_000; ms++) rate.look(ms, ms);
    expect(rate.look(3_000, 3_000)).toBe(1_000);
  });
});
