import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createObjectIdGenerator } from '../src/index.js';
import { firstNotRising, secondOf } from './support/issuer-at.js';

const START = Date.UTC(2090, 0, 1);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
afterEach(() => void vi.useRealTimers());

it('each id of one synchronous run has the second at which it was asked for', () => {
  const generator = createObjectIdGenerator();
  const ids = [0, 999, 1_000, 5_000].map((after) => {
    vi.setSystemTime(START + after);
    return generator.nextSync();
  });
  expect(ids.map((id) => secondOf(id) - START / 1_000)).toEqual([0, 0, 1, 5]);
  expect(firstNotRising(ids)).toBe(-1);
});
