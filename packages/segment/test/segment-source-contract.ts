import { expect, it } from 'vitest';
import { LAST_ID, type SegmentSource, SequenceMovedError } from '../src/index.js';

/** What a kind of source brings to the tests that all kinds must pass. */
export interface SourceUnderTest {
  readonly source: SegmentSource;
  createSequence(name: string, startAfter: number): Promise<unknown>;
}

/** The tests of the `SegmentSource` port; `open` makes an empty store, gone after the test. */
export function segmentSourceContract(open: () => Promise<SourceUnderTest>): void {
  async function withOrder(startAfter: number): Promise<SegmentSource> {
    const { source, createSequence } = await open();
    await createSequence('order', startAfter);
    return source;
  }

  it('reserves ranges that follow each other, from the one after the start on', async () => {
    const source = await withOrder(41);
    expect(await source.reserve('order', 10)).toEqual({ low: 42, high: 51 });
    expect(await source.reserve('order', 1)).toEqual({ low: 52, high: 52 });
    expect((await source.describe('order')).maxId).toBe(52);
  });

  it('reserves disjoint ranges for callers that ask at the same time', async () => {
    const source = await withOrder(0);
    const segments = await Promise.all(Array.from({ length: 20 }, () => source.reserve('order', 3)));
    expect(segments.map(({ low }) => low).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => 3 * i + 1),
    );
    expect(segments.every(({ low, high }) => high === low + 2)).toBe(true);
  });

  it('keeps sequences apart', async () => {
    const { source, createSequence } = await open();
    await createSequence('order', 0);
    await createSequence('ticket – 排队号', 500);
    await source.reserve('order', 10);
    expect(await source.reserve('ticket – 排队号', 2)).toEqual({ low: 501, high: 502 });
  });

  it('leaves a sequence alone that is created again', async () => {
    const { source, createSequence } = await open();
    await createSequence('order', 7);
    const { realm } = await source.describe('order');
    await createSequence('order', 0);
    expect(await source.describe('order')).toMatchObject({ realm, maxId: 7 });
  });

  it('reserves above a floor, and leaves a sequence alone that stands higher', async () => {
    const source = await withOrder(10);
    expect(await source.reserve('order', 5, { floor: 1_000 })).toEqual({ low: 1_001, high: 1_005 });
    expect(await source.reserve('order', 5, { floor: 3 })).toEqual({ low: 1_006, high: 1_010 });
  });

  it('reserves behind the id that is expected, and nothing when the sequence is not there', async () => {
    const source = await withOrder(10);
    expect(await source.reserve('order', 5, { expectedMaxId: 10 })).toEqual({ low: 11, high: 15 });
    for (const expectedMaxId of [10, 14, 16]) {
      const refused = source.reserve('order', 5, { expectedMaxId });
      await expect(refused).rejects.toThrow(SequenceMovedError);
      await expect(refused).rejects.toMatchObject({ retryable: true, maxId: 15 });
    }
    expect((await source.describe('order')).maxId).toBe(15);
  });

  it('makes one of the reservations that expect the same', async () => {
    const source = await withOrder(10);
    const calls = Array.from({ length: 8 }, () => source.reserve('order', 5, { expectedMaxId: 10 }));
    const made = (await Promise.allSettled(calls)).filter(({ status }) => status === 'fulfilled');
    expect(made).toEqual([{ status: 'fulfilled', value: { low: 11, high: 15 } }]);
    expect((await source.describe('order')).maxId).toBe(15);
  });

  it.each([-1, 0.5, 2 ** 53])('refuses an expectedMaxId of %s with a RangeError', async (expectedMaxId) => {
    const source = await withOrder(0);
    await expect(source.reserve('order', 1, { expectedMaxId })).rejects.toThrow(RangeError);
  });

  it('refuses to jump more than 10^9 ids to a floor', async () => {
    const source = await withOrder(10);
    await expect(source.reserve('order', 5, { floor: 1_000_000_011 })).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message: expect.stringMatching(/10.*1000000011.*1000000000.*setFloor/),
    });
    expect((await source.reserve('order', 1, { floor: 1_000_000_010 })).low).toBe(1_000_000_011);
  });

  it('says that a sequence is missing and how to make it, instead of starting one at 1', async () => {
    const { source } = await open();
    const missing = { code: 'ERR_IDS_CONFIG', message: expect.stringMatching(/"order".*createSequence/) };
    await expect(source.describe('order')).rejects.toMatchObject(missing);
    await expect(source.reserve('order', 1)).rejects.toMatchObject(missing);
    await expect(source.reserve('order', 1, { floor: 5 })).rejects.toMatchObject(missing);
  });

  it.each([2 ** 31, 2 ** 32, 10 ** 15])('crosses %i exactly', async (edge) => {
    const source = await withOrder(edge - 3);
    expect(await source.reserve('order', 5)).toEqual({ low: edge - 2, high: edge + 2 });
    expect(await source.reserve('order', 5)).toEqual({ low: edge + 3, high: edge + 7 });
    expect((await source.describe('order')).maxId).toBe(edge + 7);
  });

  it('gives ids up to 2^53 - 1 exactly and never beyond', async () => {
    const source = await withOrder(LAST_ID - 3);
    await expect(source.reserve('order', 4)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
    const { low, high } = await source.reserve('order', 3);
    expect([String(low), String(high)]).toEqual(['9007199254740989', '9007199254740991']);
    await expect(source.reserve('order', 1)).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED' });
    await expect(source.reserve('order', 1, { floor: LAST_ID })).rejects.toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
    });
  });

  it.each([0, -1, 1.5, 1_000_000_001, Number.NaN])('refuses a size of %s with a RangeError', async (size) => {
    const source = await withOrder(0);
    await expect(source.reserve('order', size)).rejects.toThrow(RangeError);
  });

  it.each([-1, 0.5, 2 ** 53])('refuses a floor of %s with a RangeError', async (floor) => {
    const source = await withOrder(0);
    await expect(source.reserve('order', 1, { floor })).rejects.toThrow(RangeError);
  });

  it.each(['', 'a'.repeat(256), 'a\nb', 'a{b', '\ud800'])('refuses the name %j', async (name) => {
    const { source, createSequence } = await open();
    const refused = { code: 'ERR_IDS_CONFIG', message: expect.stringContaining('1 to 255 characters') };
    await expect(source.reserve(name, 1)).rejects.toMatchObject(refused);
    await expect(source.describe(name)).rejects.toMatchObject(refused);
    await expect((async () => createSequence(name, 0))()).rejects.toMatchObject(refused);
  });

  it('takes a name of 255 characters outside the first plane', async () => {
    const { source, createSequence } = await open();
    const name = '\u{1f600}'.repeat(255);
    await createSequence(name, 0);
    expect(await source.reserve(name, 1)).toEqual({ low: 1, high: 1 });
  });

  it('does nothing for a caller that has given up already', async () => {
    const source = await withOrder(0);
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(source.reserve('order', 10, { signal })).rejects.toThrow('given up');
    await expect(source.describe('order', { signal })).rejects.toThrow('given up');
    expect((await source.describe('order')).maxId).toBe(0);
  });
}
