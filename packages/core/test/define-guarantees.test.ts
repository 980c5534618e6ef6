import { describe, expect, it } from 'vitest';
import { defineGuarantees } from '../src/strategy.js';
import { COUNTER_GUARANTEES } from './support.js';

describe('defined guarantees', () => {
  it('say what was said, and cannot be changed at any depth', () => {
    const guarantees = defineGuarantees(structuredClone(COUNTER_GUARANTEES));
    expect(guarantees).toEqual(COUNTER_GUARANTEES);
    for (const change of [
      () => Object.assign(guarantees, { sync: false }),
      () => Object.assign(guarantees.order, { cluster: 'real-time' }),
      () => Object.assign(guarantees.discloses, { length: 0 }),
      () => Object.assign(guarantees.text, { sortable: true }),
    ]) {
      expect(change).toThrow(TypeError);
    }
  });
});
