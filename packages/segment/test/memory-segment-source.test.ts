import { runSegmentSourceContract } from '@ids/conformance';
import { describe, expect, it } from 'vitest';
import { LAST_ID, MemorySegmentSource, SequenceMovedError } from '../src/index.js';

runSegmentSourceContract(
  {
    name: 'MemorySegmentSource',
    open: async () => {
      const source = new MemorySegmentSource();
      return {
        source,
        createSequence: async (name, startAfter) => source.createSequence(name, { startAfter }),
      };
    },
  },
  { describe, it },
);

describe('MemorySegmentSource', () => {
  it('says in its errors what was asked, and what to do', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 10 } });
    await expect(source.describe('ticket')).rejects.toThrow(/"ticket".*createSequence/);
    const tooFar = source.reserve('order', 5, { floor: 1_000_000_011 });
    await expect(tooFar).rejects.toThrow(/10.*1000000011.*1000000000.*setFloor/);
    await expect(source.describe('')).rejects.toThrow(/\b1 to 255\b.*""/);
    const moved = source.reserve('order', 5, { expectedMaxId: 11 });
    await expect(moved).rejects.toThrow(SequenceMovedError);
    await expect(moved).rejects.toThrow(/\b10\b.*\b11\b/);
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

  it('tells a sequence from one of the same name elsewhere', async () => {
    const [one, other] = [new MemorySegmentSource({ order: {} }), new MemorySegmentSource({ order: {} })];
    expect((await one.describe('order')).realm).toMatch(/^[0-9a-f-]{36}$/);
    expect((await one.describe('order')).realm).not.toBe((await other.describe('order')).realm);
  });

  it('describes a sequence as it is at that moment', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 5 } });
    const before = await source.describe('order');
    await source.reserve('order', 10);
    expect(before.maxId).toBe(5);
    expect((await source.describe('order', {})).maxId).toBe(15);
  });

  it('takes the largest segment, and may begin at the end of the range', async () => {
    const source = new MemorySegmentSource({ order: {}, ticket: { startAfter: LAST_ID } });
    expect(await source.reserve('order', 1_000_000_000)).toEqual({ low: 1, high: 1_000_000_000 });
    await expect(source.reserve('ticket', 1)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
  });

  it.each([-1, 0.5, 2 ** 53])('refuses to start after %s with a RangeError', (startAfter) => {
    expect(() => new MemorySegmentSource({ order: { startAfter } })).toThrow(RangeError);
  });
});
