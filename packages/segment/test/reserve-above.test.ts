import { describe, expect, it } from 'vitest';
import { LAST_ID, MemorySegmentSource, reserveAbove, type Segment, type SegmentEvent } from '../src/index.js';
import { ScriptedSource } from './scripted-source.js';

const quiet = { onEvent: () => {} };

describe('reserveAbove', () => {
  it('gives what the source gives while that lies above the floor', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 100 } });
    expect(await reserveAbove(source, 'order', 10, 100, quiet)).toEqual({ low: 101, high: 110 });
  });

  it('reports a source that went back and takes a segment above everything known instead', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 50 } });
    const events: SegmentEvent[] = [];
    const segment = await reserveAbove(source, 'order', 10, 100, { onEvent: (event) => events.push(event) });
    expect(segment).toEqual({ low: 101, high: 110 });
    expect(events).toEqual([
      { type: 'regression', name: 'order', floor: 100, segment: { low: 51, high: 60 } },
    ]);
  });

  it('refuses a segment that only reaches above the floor', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 95 } });
    expect(await reserveAbove(source, 'order', 10, 100, quiet)).toEqual({ low: 106, high: 115 });
  });

  it('refuses a segment that begins with the floor, which was given before', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: 99 } });
    const events: SegmentEvent[] = [];
    const segment = await reserveAbove(source, 'order', 10, 100, { onEvent: (event) => events.push(event) });
    expect(segment).toEqual({ low: 110, high: 119 });
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
    await expect(reserving).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED', retryable: false });
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
    await expect(reserving).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  });
});
