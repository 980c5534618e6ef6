import { expect, it } from 'vitest';
import { countDistinct, Runs } from '../src/index.js';

function bounds(...ids: number[]): readonly number[] {
  const runs = new Runs();
  runs.add(ids);
  return runs.bounds;
}

it('ids are kept as the ranges that they form', () => {
  expect(bounds(5, 6, 7, 9, 20, 21)).toEqual([5, 7, 9, 9, 20, 21]);
  expect(countDistinct([bounds(5, 6, 7), bounds(8, 20), bounds(9)])).toBe(6);
});

it('an id of two processes is found, also inside a range, and one that does not rise', () => {
  expect(() => countDistinct([bounds(5, 6, 7), bounds(1, 6)])).toThrow(/id 6 was given to process 0 and/);
  expect(() => countDistinct([bounds(7), bounds(7)])).toThrow(/id 7/);
  expect(() => bounds(5, 5)).toThrow('id 5 was given after 5');
});
