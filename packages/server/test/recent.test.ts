import { expect, it } from 'vitest';
import { Recent } from '../src/recent.js';

const MINUTE = 60_000;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

it('has the ids and the refills of five minutes in steps of five seconds, the latest last', () => {
  let refills = 7;
  const recent = new Recent(() => refills, 0);
  recent.add(10, 1_000);
  refills = 9;
  recent.add(5, 4_999);
  recent.add(1, 5_000);
  refills = 10;
  const { ids, refills: counted, stepSeconds } = recent.read(11_000);
  expect([ids.length, stepSeconds]).toEqual([60, 5]);
  expect(ids.slice(-4)).toEqual([0, 15, 1, 0]);
  expect(counted.slice(-4)).toEqual([0, 2, 1, 0]);
  expect(sum(recent.read(5 * MINUTE - 1).ids)).toBe(16);
  expect(sum(recent.read(5 * MINUTE).ids)).toBe(1);
  expect(sum(recent.read(5 * MINUTE + 5_000).ids)).toBe(0);
});

it('takes the rate of the last minute, or since the start, and forgets what was before', () => {
  const recent = new Recent(() => 0, 0);
  recent.add(100, 1_000);
  expect(recent.read(10_000).idsPerSecond).toBe(10);
  for (let at = MINUTE; at < 2 * MINUTE; at += 1_000) recent.add(30, at);
  expect(recent.read(2 * MINUTE - 1).idsPerSecond).toBeCloseTo(30, 0);
  expect(recent.read(4 * MINUTE).idsPerSecond).toBe(0);
  recent.add(1, 60 * MINUTE);
  expect(sum(recent.read(60 * MINUTE).ids)).toBe(1);
});
