import { expect, it } from 'vitest';
import { HeldSegments } from '../src/held-segments.js';

it('ids in memory are added to by segments above them only', () => {
  const held = new HeldSegments();
  expect(held.append({ low: 1, high: 10 }, 5)).toBe(true);
  expect(held.append({ low: 10, high: 19 }, 5)).toBe(false);
  expect([held.count, held.top]).toEqual([10, 10]);
  expect(held.append({ low: 11, high: 20 }, 5)).toBe(true);
  expect([held.count, held.top]).toEqual([20, 20]);
});
