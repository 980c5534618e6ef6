import { expect, it } from 'vitest';
import { NewKeyLimit } from '../src/new-key-limit.js';

it('lets keys in use hold nothing that a key needs which is known to be new', () => {
  const [used, fresh] = [{}, {}];
  const limit = new NewKeyLimit(1);
  expect(limit.take([used], true)).toBe(0);
  expect(limit.take([used], false)).toBe(1);
  expect(limit.take([fresh], false)).toBe(0);
  // What is held comes back, so this is not the second that the next one takes.
  expect(limit.postpone(fresh)).toBeLessThan(100);
  limit.settle(1, []);
  expect(limit.take([used], false)).toBe(0);
  expect(limit.take([used, fresh], false)).toBe(1);
  limit.settle(1, [{ high: 1, isNew: true }]);
  limit.forget(fresh);
  expect(limit.take([{}], false)).toBe(0);
  expect(limit.postpone({})).toBeGreaterThan(500);
});
