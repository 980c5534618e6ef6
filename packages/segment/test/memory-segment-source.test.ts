import { describe, expect, it } from 'vitest';
import { MemorySegmentSource } from '../src/index.js';
import { segmentSourceContract } from './segment-source-contract.js';

describe('MemorySegmentSource', () => {
  segmentSourceContract(async () => {
    const source = new MemorySegmentSource();
    return {
      source,
      createSequence: async (name, startAfter) => source.createSequence(name, { startAfter }),
    };
  });

  it('has the sequences that it is made with', async () => {
    const source = new MemorySegmentSource({ order: {}, ticket: { startAfter: 99 } });
    expect((await source.reserve('order', 1)).low).toBe(1);
    expect((await source.reserve('ticket', 1)).low).toBe(100);
  });

  it('says whether a sequence is new', () => {
    const source = new MemorySegmentSource({ order: {} });
    expect(source.createSequence('order')).toBe(false);
    expect(source.createSequence('ticket')).toBe(true);
  });

  it.each([-1, 0.5, 2 ** 53])('refuses to start after %s with a RangeError', (startAfter) => {
    expect(() => new MemorySegmentSource({ order: { startAfter } })).toThrow(RangeError);
  });
});
