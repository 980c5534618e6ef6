import { describe, expect, it } from 'vitest';
import { Starvation } from '../src/starvation.js';

const ALONE = false;
const OTHERS = true;

describe('starvation', () => {
  it('begins with the first request that waits, and is told after a second', () => {
    const starvation = new Starvation();
    expect(starvation.tooLong(5_000, ALONE)).toBeUndefined();
    starvation.waits(5_000, ALONE);
    starvation.waits(5_900, OTHERS);
    expect(starvation.tooLong(5_999, OTHERS)).toBeUndefined();
    expect(starvation.tooLong(6_000, OTHERS)).toBe(1_000);
  });

  it('ends when a request is served, and begins again then for those that wait', () => {
    const starvation = new Starvation();
    starvation.waits(0, ALONE);
    starvation.served(1_500, OTHERS);
    expect(starvation.tooLong(2_499, OTHERS)).toBeUndefined();
    expect(starvation.tooLong(2_500, OTHERS)).toBe(1_000);
    starvation.served(2_600, ALONE);
    starvation.waits(9_000, ALONE);
    expect(starvation.tooLong(9_999, OTHERS)).toBeUndefined();
  });

  it('goes on from one request that ran out of time to the next, and for a second after the last', () => {
    const starvation = new Starvation();
    starvation.waits(0, ALONE);
    starvation.expired(300);
    starvation.waits(1_300, ALONE);
    expect(starvation.tooLong(1_300, OTHERS)).toBe(1_300);
    starvation.expired(1_600);
    expect(starvation.tooLong(2_600, ALONE)).toBe(2_600);
    expect(starvation.tooLong(2_601, ALONE)).toBeUndefined();
    starvation.waits(2_601, ALONE);
    expect(starvation.tooLong(3_600, OTHERS)).toBeUndefined();
    expect(starvation.tooLong(3_601, OTHERS)).toBe(1_000);
  });

  it('ends when the last request is given up by its caller', () => {
    const starvation = new Starvation();
    starvation.waits(0, ALONE);
    starvation.abandoned();
    expect(starvation.tooLong(5_000, ALONE)).toBeUndefined();
    starvation.waits(5_000, ALONE);
    expect(starvation.tooLong(5_500, OTHERS)).toBeUndefined();
  });
});
