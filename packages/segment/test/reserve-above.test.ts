import { IdError } from '@ids/core';
import { describe, expect, it } from 'vitest';
import {
  type ExpiringSegment,
  KnownReigns,
  LAST_ID,
  MemorySegmentSource,
  type ReserveOptions,
  reserveAbove,
  type Segment,
  type SegmentEvent,
  type SegmentSource,
  SequenceMovedError,
} from '../src/index.js';
import { ScriptedSource } from './scripted-source.js';

const quiet = {
  onEvent: () => {},
  get known() {
    return new KnownReigns('order');
  },
};

function neverExpiring(low: number, high: number): ExpiringSegment {
  return { low, high, expiresAt: Number.POSITIVE_INFINITY };
}

/** `source`, each of whose reservations is told to `asked` first. */
function watched(
  source: SegmentSource,
  asked: (size: number, options?: ReserveOptions) => void,
): SegmentSource {
  return {
    describe: (...args) => source.describe(...args),
    close: () => source.close(),
    reserve: (name, size, options) => {
      asked(size, options);
      return source.reserve(name, size, options);
    },
  };
}

describe('reserveAbove', () => {
  it('gives what the source gives while that lies above the floor', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 100 } });
    expect(await reserveAbove(source, 'order', 10, 100, quiet)).toEqual(neverExpiring(101, 110));
  });

  it('reports a source that went back and takes a segment above everything known instead', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 50 } });
    const events: SegmentEvent[] = [];
    const segment = await reserveAbove(source, 'order', 10, 100, {
      ...quiet,
      onEvent: (event) => events.push(event),
    });
    expect(segment).toEqual(neverExpiring(101, 110));
    expect(events).toEqual([
      { type: 'regression', name: 'order', floor: 100, segment: { low: 51, high: 60 } },
    ]);
  });

  it('keeps the time at which a segment expires, also of one that was raised', async () => {
    const source = new ScriptedSource();
    const reserving = reserveAbove(source, 'order', 10, 100, quiet);
    (await source.asked()).answerWith({ low: 1, high: 10, expiresAt: 5 });
    (await source.asked()).answerWith({ low: 101, high: 110, expiresAt: 7 });
    expect(await reserving).toEqual({ low: 101, high: 110, expiresAt: 7 });
  });

  it('refuses a segment that only reaches above the floor', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 95 } });
    expect(await reserveAbove(source, 'order', 10, 100, quiet)).toEqual(neverExpiring(107, 116));
  });

  it('raises a row that reached the floor by its answer above both', async () => {
    const source = new ScriptedSource();
    const reserving = reserveAbove(source, 'order', 10, 100, quiet);
    (await source.asked()).answerWith({ low: 96, high: 105 });
    const healing = await source.asked();
    expect(healing.floor).toBe(106);
    healing.answerWith({ low: 207, high: 216 });
    expect(await reserving).toEqual(neverExpiring(207, 216));
  });

  it('refuses a segment that begins with the floor, which was given before', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 99 } });
    const events: SegmentEvent[] = [];
    const segment = await reserveAbove(source, 'order', 10, 100, {
      ...quiet,
      onEvent: (event) => events.push(event),
    });
    expect(segment).toEqual(neverExpiring(111, 120));
    expect(events).toEqual([
      { type: 'regression', name: 'order', floor: 100, segment: { low: 100, high: 109 } },
    ]);
  });

  it('refuses it also from a source that was asked to rise', async () => {
    const source = new ScriptedSource();
    const reserving = reserveAbove(source, 'order', 10, 100, quiet);
    (await source.asked()).answerWith({ low: 1, high: 10 });
    (await source.asked()).answerWith({ low: 100, high: 109 });
    await expect(reserving).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message: expect.stringContaining('100..109'),
    });
  });

  it('fails with ERR_IDS_REGRESSED when the source cannot be raised', async () => {
    const source = new ScriptedSource();
    const reserving = reserveAbove(source, 'order', 10, 100, quiet);
    (await source.asked()).answerWith({ low: 1, high: 10 });
    (await source.asked()).answerWith({ low: 11, high: 20 });
    await expect(reserving).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      retryable: false,
      message: expect.stringMatching(/"order".*\b11\.\.20\b.*\b100\b/),
    });
  });

  it('reports a source that noticed its new history by itself, also when it was asked to rise', async () => {
    const source = new ScriptedSource();
    const events: SegmentEvent[] = [];
    const reserving = reserveAbove(source, 'order', 10, 100, {
      ...quiet,
      onEvent: (event) => events.push(event),
    });
    const newReign = { cause: 'failover', skipped: 7 } as const;
    (await source.asked()).answerWith({ low: 1, high: 10, newReign });
    const again = await source.asked();
    expect(again.floor).toBe(100);
    again.answerWith({ low: 101, high: 110, newReign: { cause: 'restore', skipped: 8 } });
    expect(await reserving).toMatchObject({ low: 101, high: 110 });
    expect(events).toEqual([
      { type: 'new-reign', name: 'order', ...newReign, segment: { low: 1, high: 10 } },
      { type: 'regression', name: 'order', floor: 100, segment: { low: 1, high: 10 } },
      { type: 'new-reign', name: 'order', cause: 'restore', skipped: 8, segment: { low: 101, high: 110 } },
    ]);
  });

  it('asks for half as many each time while the range ends before', async () => {
    const memory = new MemorySegmentSource({ order: { startAfter: LAST_ID - 3 } });
    const sizes: number[] = [];
    const source = watched(memory, (size) => sizes.push(size));
    expect(await reserveAbove(source, 'order', 13, 0, quiet)).toEqual(neverExpiring(LAST_ID - 2, LAST_ID));
    expect(sizes).toEqual([13, 6, 3]);
  });

  it('passes on other errors at once', async () => {
    const source = new ScriptedSource();
    for (const error of [new IdError('ERR_IDS_CONFIG', 'none'), new Error('of the store')]) {
      const reserving = reserveAbove(source, 'order', 10, 100, quiet);
      (await source.asked()).refuse(error);
      await expect(reserving).rejects.toBe(error);
    }
    expect(source.reserved).toBe(2);
  });

  it('tells the source how much of the time is left, each time that it asks', async () => {
    const times: (number | undefined)[] = [];
    const memory = new MemorySegmentSource({ order: { startAfter: LAST_ID - 3 } });
    const source = watched(memory, (_, options) => times.push(options?.timeoutMs));
    await reserveAbove(source, 'order', 4, 0, { ...quiet, timeoutMs: 60_000 });
    for (const ms of times) expect(ms).toBeGreaterThan(30_000);
    for (const ms of times) expect(ms).toBeLessThanOrEqual(60_000);
    expect(times).toHaveLength(2);
    await reserveAbove(source, 'order', 1, 0, { ...quiet, timeoutMs: 1e-9 });
    expect(times[2]).toBe(1);
    await expect(reserveAbove(source, 'order', 1, 0, quiet)).rejects.toThrow();
    expect(times.at(-1)).toBeUndefined();
  });

  it('gives the last ids there are, although the step is larger, and then none', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: LAST_ID - 3 } });
    const lows: Segment[] = [];
    for (let floor = LAST_ID - 3; floor < LAST_ID; ) {
      const segment = await reserveAbove(source, 'order', 1_000, floor, quiet);
      lows.push(segment);
      floor = segment.high;
    }
    expect(lows.map(({ low }) => low)[0]).toBe(9007199254740989);
    expect(lows.at(-1)?.high).toBe(9007199254740991);
    await expect(reserveAbove(source, 'order', 1_000, LAST_ID, quiet)).rejects.toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
    });
  });

  it.each([
    { low: 0, high: 10 },
    { low: 11, high: 10 },
    { low: 1.5, high: 10 },
    { low: 1, high: LAST_ID + 1 },
    { low: Number.NaN, high: Number.NaN },
  ])('refuses $low..$high as a segment', async (segment) => {
    const source = new ScriptedSource();
    const reserving = reserveAbove(source, 'order', 10, 0, quiet);
    (await source.asked()).answerWith(segment);
    await expect(reserving).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(
        `"order".* ${segment.low}..${segment.high}\\b.*\\b1\\b.*\\b${LAST_ID}\\b`,
      ),
    });
  });

  it('takes the first id, the last one, and a segment of one', async () => {
    const source = new ScriptedSource();
    for (const segment of [
      { low: 1, high: 1 },
      { low: LAST_ID, high: LAST_ID },
    ]) {
      const reserving = reserveAbove(source, 'order', 10, 0, quiet);
      (await source.asked()).answerWith(segment);
      expect(await reserving).toEqual(neverExpiring(segment.low, segment.high));
    }
  });
});

describe('reserveAbove, directly behind the floor', () => {
  const behind = () => ({ ...quiet, behindFloor: true });

  it('reserves where the sequence is at the floor', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 100 } });
    expect(await reserveAbove(source, 'order', 10, 100, behind())).toEqual(neverExpiring(101, 110));
  });

  it('reserves nothing where the sequence is above it', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 105 } });
    await expect(reserveAbove(source, 'order', 10, 100, behind())).rejects.toMatchObject({ maxId: 105 });
    expect((await source.describe('order')).maxId).toBe(105);
  });

  it('gives nothing that was not reserved, also where the sequence has come to the floor meanwhile', async () => {
    const source = new ScriptedSource();
    const reserving = reserveAbove(source, 'order', 10, 100, behind());
    const moved = new SequenceMovedError('order', 100, 100);
    (await source.asked()).refuse(moved);
    await expect(reserving).rejects.toBe(moved);
  });

  it('raises a sequence that went back, and reports what it would have given', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 50 } });
    const events: SegmentEvent[] = [];
    const onEvent = (event: SegmentEvent) => void events.push(event);
    const segment = await reserveAbove(source, 'order', 10, 100, { ...quiet, onEvent, behindFloor: true });
    expect(segment).toEqual(neverExpiring(101, 110));
    expect(events).toEqual([
      { type: 'regression', name: 'order', floor: 100, segment: { low: 51, high: 60 } },
    ]);
    expect((await source.describe('order')).maxId).toBe(110);
  });
});
