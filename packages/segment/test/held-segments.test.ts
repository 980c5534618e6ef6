import { expect, it } from 'vitest';
import { HeldSegments } from '../src/held-segments.js';

const expiresAt = Number.POSITIVE_INFINITY;

it('ids in memory are added to by segments above them only', () => {
  const held = new HeldSegments();
  expect(held.append({ low: 1, high: 10, expiresAt }, 5)).toBe(true);
  expect(held.append({ low: 10, high: 19, expiresAt }, 5)).toBe(false);
  expect([held.count, held.top]).toEqual([10, 10]);
  expect(held.append({ low: 11, high: 20, expiresAt }, 5)).toBe(true);
  expect([held.count, held.top]).toEqual([20, 20]);
});
