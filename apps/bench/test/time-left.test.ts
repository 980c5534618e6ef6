import { expect, it } from 'vitest';
import { TimeLeft } from '../src/experiments/time-left.js';

it('the time left is corrected by what steps took, and leaves out those of a case that failed', () => {
  const record = { sound: true };
  const fails = { sound: true };
  const steps = Array.from({ length: 100 }, () => ({ record }));
  const left = new TimeLeft(
    [
      { stepMs: { work: 1_000, fixed: 500 }, steps },
      { stepMs: { work: 100, fixed: 300 }, steps: [{ record: fails }] },
    ],
    2,
  );
  expect(left.ms).toBe(250_500);
  // What is fixed takes no longer, however busy the machine is.
  for (let i = 0; i < 50; i++) left.ended(4_500);
  expect(left.ms).toBeCloseTo(50 * 4_500 + 700, -2);
  fails.sound = false;
  expect(left.ms).toBeCloseTo(50 * 4_500, -2);
  // Other programs come and go.
  for (let i = 0; i < 40; i++) left.ended(1_500);
  expect(left.ms).toBeCloseTo(10 * 1_500, -2);
});
