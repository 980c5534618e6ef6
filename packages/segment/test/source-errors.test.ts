import { describe, expect, it } from 'vitest';
import { LAST_ID, MemorySegmentSource, SequenceMovedError } from '../src/index.js';
import { jumpTooFar, sequenceExhausted } from '../src/source-errors.js';

describe('the errors of all sources', () => {
  it('say how to make a sequence that is missing', async () => {
    await expect(new MemorySegmentSource().describe('order')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: 'there is no sequence "order" in this MemorySegmentSource; create it once with createSequence',
    });
  });

  it('say what a sequence name may be', () => {
    const source = new MemorySegmentSource();
    for (const [name, shown] of [
      ['a{b', '"a{b"'],
      [42, '42'],
      [['order'], 'an array'],
    ] as const) {
      expect(() => source.createSequence(name as string)).toThrow(
        expect.objectContaining({
          code: 'ERR_IDS_CONFIG',
          message: `a sequence name must be 1 to 255 characters, no control characters, no braces, got ${shown}`,
        }),
      );
    }
    for (const name of ['a}', '\u0000', '\u007f', '\ud800']) {
      expect(() => source.createSequence(name)).toThrow('no control characters');
    }
  });

  it('say where the range ends', () => {
    const cause = new Error('of the store');
    expect(sequenceExhausted('order', 10, cause)).toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
      message: `sequence "order": fewer than 10 ids are left up to the last one, ${LAST_ID}`,
      cause,
    });
  });

  it('say how far a sequence went back', () => {
    expect(jumpTooFar('order', 5, 100, 50)).toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message:
        'sequence "order" stands at 5, but ids up to 100 were reserved before: more than the 50 that are mended ' +
        'without being asked; find out why it went back, then use setFloor',
    });
  });

  it('say where a sequence is that is not where it was expected', () => {
    expect(new SequenceMovedError('order', 10, 15)).toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: 'sequence "order" is at 15, not at 10 as expected: nothing was reserved',
      maxId: 15,
    });
  });

  it('say which number is outside its range', async () => {
    const source = new MemorySegmentSource({ order: {} });
    const refused = async (made: Promise<unknown>, message: string) =>
      expect(made).rejects.toThrow(expect.objectContaining({ name: 'RangeError', message }));
    await refused(source.reserve('order', 0), 'size must be a whole number from 1 to 1000000000, got 0');
    const bound = 'must be a whole number from 0 to 2^53 - 1, got -1';
    await refused(source.reserve('order', 1, { floor: -1 }), `floor ${bound}`);
    await refused(source.reserve('order', 1, { expectedMaxId: -1 }), `expectedMaxId ${bound}`);
    expect(() => source.createSequence('ticket', { startAfter: -1 })).toThrow(`startAfter ${bound}`);
  });
});
