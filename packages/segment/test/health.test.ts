import { UsageRate } from '@ids/waiting';
import { describe, expect, it } from 'vitest';
import { ExhaustionForecast, LAST_ID } from '../src/index.js';

describe('UsageRate', () => {
  it('is unknown in the first second', () => {
    const rate = new UsageRate(5_000);
    expect(rate.sample(100, 5_999)).toBe(0);
    expect(rate.sample(100, 6_000)).toBe(100);
  });

  it('is that of the last ten seconds, when somebody looks every second', () => {
    const rate = new UsageRate(0);
    for (let second = 1; second <= 60; second++) rate.sample(second * 500, second * 1_000);
    for (let second = 61; second <= 70; second++) rate.sample(30_000, second * 1_000);
    expect(rate.sample(30_000, 70_000)).toBe(0);
    for (let second = 71; second <= 80; second++) rate.sample(30_000 + (second - 70) * 7, second * 1_000);
    expect(rate.sample(30_070, 80_000)).toBe(7);
  });

  it('goes back to the last look when that is longer ago', () => {
    const rate = new UsageRate(0);
    rate.sample(1_000, 5_000);
    rate.sample(1_000, 600_000);
    expect(rate.sample(1_600, 1_200_000)).toBe(1);
  });

  it('goes back ten seconds to the millisecond, when somebody looks every second', () => {
    const rate = new UsageRate(0);
    for (let second = 1; second < 11; second++) rate.sample(50, second * 1_000);
    expect(rate.sample(50, 11_000)).toBe(0);
  });

  it('remembers one look a second', () => {
    const rate = new UsageRate(0);
    for (const [used, ms] of [
      [0, 1_000],
      [0, 2_000],
      [105, 2_500],
    ] as const)
      rate.sample(used, ms);
    for (let second = 3; second <= 12; second++) rate.sample(105, second * 1_000);
    expect(rate.sample(105, 12_500)).toBe(10);
  });

  it('is not disturbed by looks in quick succession', () => {
    const rate = new UsageRate(0);
    for (let ms = 1; ms <= 3_000; ms++) rate.sample(ms, ms);
    expect(rate.sample(3_000, 3_000)).toBe(1_000);
  });
});

const DAY_MS = 86_400_000;

function daysUntil(date: Date | undefined): number {
  return ((date?.getTime() ?? Number.NaN) - Date.now()) / DAY_MS;
}

describe('ExhaustionForecast', () => {
  it('knows nothing before the second segment', () => {
    const forecast = new ExhaustionForecast();
    expect(forecast.at(1_000)).toBeUndefined();
    forecast.note({ low: 1, high: 10 }, 1_000);
    expect(forecast.at(2_000)).toBeUndefined();
  });

  it('says when the range ends at the rate at which the segments of all processes rise', () => {
    const forecast = new ExhaustionForecast();
    // 10^12 ids a day, and 100 days' worth left.
    const start = LAST_ID - 101e12;
    forecast.note({ low: start, high: start + 10 }, 0);
    forecast.note({ low: start + 1e12, high: start + 1e12 + 10 }, DAY_MS);
    expect(daysUntil(forecast.at(DAY_MS))).toBeCloseTo(100, 3);
    // Nobody used any for as long again.
    expect(daysUntil(forecast.at(2 * DAY_MS))).toBeCloseTo(200, 3);
  });

  it('looks back on the last 32 segments', () => {
    const forecast = new ExhaustionForecast();
    for (let i = 0; i < 100; i++) forecast.note({ low: 1 + i, high: 1 + i }, i);
    for (let i = 0; i < 32; i++) forecast.note({ low: 1e9 + i * 1e6, high: 1e9 + i * 1e6 }, 100 + i);
    const idsPerMs = (31 * 1e6) / 31;
    expect(daysUntil(forecast.at(131))).toBeCloseTo(LAST_ID / idsPerMs / DAY_MS, 2);
  });

  it('counts from the oldest of them on', () => {
    const forecast = new ExhaustionForecast();
    forecast.note({ low: 1, high: 1 }, 0);
    for (let i = 1; i < 32; i++) forecast.note({ low: 1e15, high: 1e15 }, i);
    expect(forecast.at(31)).toBeInstanceOf(Date);
    forecast.note({ low: 1e15, high: 1e15 }, 32);
    expect(forecast.at(32)).toBeUndefined();
  });

  it('says nothing when the end is further away than a date can be', () => {
    const forecast = new ExhaustionForecast();
    forecast.note({ low: 1, high: 10 }, 0);
    forecast.note({ low: 11, high: 20 }, DAY_MS);
    expect(forecast.at(DAY_MS)).toBeUndefined();
  });
});
