import { IdError } from '@ids/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LAST_ID, MemorySegmentSource } from '../src/index.js';
import { tooSlow } from '../src/segment-supply.js';
import { bufferOver, range, settle } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

const unreachable = new IdError('ERR_IDS_UNAVAILABLE', 'connection refused');

describe('SegmentBuffer', () => {
  it('gives the ids of its segments, from the first on, without a gap between them', async () => {
    const { buffer } = bufferOver(ScriptedSource.open());
    const ids: number[] = [];
    for (let i = 0; i < 35; i++) ids.push(await buffer.next());
    expect(ids).toEqual(range(1, 35));
  });

  it('gives a batch that spans segments, and one that is larger than any segment', async () => {
    const { buffer } = bufferOver(ScriptedSource.open());
    expect(await buffer.nextBatch(7)).toEqual(range(1, 7));
    expect(await buffer.nextBatch(7)).toEqual(range(8, 14));
    expect(await buffer.nextBatch(500)).toEqual(range(15, 514));
  });

  it('gives an empty batch without asking the source', async () => {
    const source = new ScriptedSource();
    expect(await bufferOver(source).buffer.nextBatch(0)).toEqual([]);
    expect(source.reserved).toBe(0);
  });

  it.each([-1, 1.5, Number.NaN, 1_000_001])('refuses a batch of %s with a RangeError', async (count) => {
    const { buffer } = bufferOver(ScriptedSource.open());
    await expect(buffer.nextBatch(count)).rejects.toThrow(RangeError);
    expect(() => buffer.nextBatchSync(count)).toThrow(RangeError);
  });

  it('asks the source once for all callers that wait', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const waiting = Promise.all([buffer.next(), buffer.nextBatch(3), buffer.next(), buffer.ready()]);
    (await source.asked()).answer();
    expect(await waiting).toEqual([1, [2, 3, 4], 5, undefined]);
    expect(source.mostAtOnce).toBe(1);
  });

  it('fetches the next segment at half of the last one, while the rest is still given at once', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answer();
    await ready;
    for (let i = 0; i < 4; i++) buffer.nextSync();
    await settle();
    expect(source.pending).toHaveLength(0);
    buffer.nextSync();
    const next = await source.asked();
    expect(range(1, 5).map(() => buffer.nextSync())).toEqual(range(6, 10));
    next.answer();
    await buffer.ready();
    expect(buffer.nextSync()).toBe(11);
  });

  it('reserves what the callers that wait want together and a step on top, and no more than the step otherwise', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const waiting = Promise.all([buffer.nextBatch(25), buffer.nextBatch(5)]);
    expect((await source.asked()).size).toBe(40);
    (await source.asked()).answer();
    await waiting;
    await settle();
    expect(source.pending).toHaveLength(0);
    buffer.nextBatchSync(5);
    expect((await source.asked()).size).toBe(10);
  });

  it('throws ERR_IDS_NOT_READY from a synchronous call with nothing in memory, and fetches', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    expect(() => buffer.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    (await source.asked()).answer();
    await buffer.ready();
    expect(buffer.nextSync()).toBe(1);
    // What is there after `ready` may be fewer than a batch needs, and the error says how many.
    expect(() => buffer.nextBatchSync(50)).toThrow(/\b9 of 50\b.*\bnextBatch\(50\)/);
  });

  it('serves a synchronous batch larger than a segment once ready() resolved after the refusal', async () => {
    const { buffer } = bufferOver(ScriptedSource.open());
    expect(() => buffer.nextBatchSync(95)).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    await buffer.ready();
    expect(buffer.nextBatchSync(95)).toEqual(range(1, 95));
  });

  it('lets no later call pass a batch that waits for more than is in memory', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const first = buffer.next();
    (await source.asked()).answer();
    await first;
    const batch = buffer.nextBatch(12);
    const single = buffer.next();
    const smaller = buffer.nextBatch(3);
    source.answerAll();
    expect(await batch).toEqual(range(2, 13));
    expect(await single).toBe(14);
    expect(await smaller).toEqual(range(15, 17));
  });

  it('wastes no id on a batch that gives up while it waits for more than is in memory', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const first = buffer.next();
    (await source.asked()).answer();
    await first;
    const controller = new AbortController();
    const batch = buffer.nextBatch(25, { signal: controller.signal });
    const fetch = await source.asked();
    fetch.answerWith({ low: 11, high: 12 });
    await source.asked();
    controller.abort(new Error('enough'));
    await expect(batch).rejects.toThrow('enough');
    expect(buffer.nextBatchSync(11)).toEqual(range(2, 12));
  });

  it('discards a segment that was overtaken on its way, so that ids never go back', async () => {
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source, { deadlineMs: 60 });
    const ready = buffer.ready();
    const slow = await source.asked();
    await expect(ready).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    while (source.pending.length < 2) await settle();
    source.maxId = 10;
    source.pending[1]?.answer();
    expect(await buffer.next()).toBe(11);
    slow.answerWith({ low: 1, high: 10 });
    await settle();
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'discard', segment: { low: 1, high: 10 } }),
    );
    source.answerAll();
    expect(await buffer.nextBatch(20)).toEqual(range(12, 31));
  });

  it('uses a segment that comes late, when nothing overtook it', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { deadlineMs: 60 });
    const ready = buffer.ready();
    const slow = await source.asked();
    await expect(ready).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    slow.answer();
    expect(await buffer.next()).toBe(1);
  });

  it('gives ids above all it gave before when the source goes back, and reports that', async () => {
    const source = ScriptedSource.open();
    const { buffer, events } = bufferOver(source);
    await buffer.nextBatch(30);
    source.maxId = 3;
    const ids = await buffer.nextBatch(50);
    expect(ids.every((id, i) => id > (ids[i - 1] ?? 30))).toBe(true);
    expect(events).toContainEqual(expect.objectContaining({ type: 'regression', name: 'order' }));
    expect(buffer.health().lastRegression?.message).toMatch(/^the source returned 4\.\./);
  });

  it('lets a call give up while the others go on, and wastes no id on it', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const controller = new AbortController();
    const first = buffer.nextBatch(15, { signal: controller.signal });
    const second = buffer.nextBatch(5);
    controller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    (await source.asked()).answer();
    expect(await second).toEqual(range(1, 5));
    expect(await buffer.nextBatch(5)).toEqual(range(6, 10));
  });

  it('rejects at once a call whose signal is aborted already', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(buffer.next({ signal })).rejects.toThrow('too late');
    await expect(buffer.nextBatch(2, { signal })).rejects.toThrow('too late');
    await expect(buffer.ready({ signal })).rejects.toThrow('too late');
    expect(source.reserved).toBe(0);
  });

  it('keeps callers waiting through failures of the source and serves them when it answers again', async () => {
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source);
    const waiting = buffer.next();
    (await source.asked()).refuse(unreachable);
    (await source.asked()).refuse(new Error('of a source that knows no IdError'));
    (await source.asked()).answer();
    expect(await waiting).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['refill-failed', 'refill-failed', 'refill', 'wait']);
  });

  it('rejects a call at its deadline with the reason why the source gave nothing', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { deadlineMs: 40 });
    const waiting = buffer.next();
    (await source.asked()).refuse(unreachable);
    await expect(waiting).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      retryable: true,
      cause: unreachable,
    });
  });

  it('rejects a call at its deadline with ERR_IDS_TIMEOUT when the source never answered', async () => {
    const { buffer } = bufferOver(new ScriptedSource(), { deadlineMs: 40 });
    await expect(buffer.next()).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT', retryable: true });
  });

  it('gives up an answer that does not come after half of the deadline and asks again', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { deadlineMs: 2_000 });
    const waiting = buffer.next();
    const lost = await source.asked();
    await new Promise((resolve) => lost.signal?.addEventListener('abort', resolve));
    while (source.pending.length < 2) await settle();
    source.pending[1]?.answer();
    expect(await waiting).toBe(1);
  });

  it('tells callers at once when waiting would not help', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const waiting = [buffer.next(), buffer.ready()];
    const gone = new IdError('ERR_IDS_CONFIG', 'there is no sequence "order"');
    (await source.asked()).refuse(gone);
    await expect(waiting[0]).rejects.toBe(gone);
    await expect(waiting[1]).rejects.toBe(gone);
    const later = buffer.next();
    (await source.asked()).answer();
    expect(await later).toBe(1);
  });

  it('says how it is doing', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    expect(buffer.health()).toEqual({ status: 'not-ready', remaining: 0 });
    const first = buffer.next();
    (await source.asked()).refuse(unreachable);
    const retry = await source.asked();
    const lastError = { code: 'ERR_IDS_UNAVAILABLE', message: 'connection refused', at: expect.any(Date) };
    expect(buffer.health()).toEqual({ status: 'down', remaining: 0, lastError });
    retry.answer();
    await first;
    expect(buffer.health()).toEqual({ status: 'ok', remaining: 9 });
    buffer.nextBatchSync(5);
    (await source.asked()).refuse(unreachable);
    await settle();
    expect(buffer.health()).toEqual({ status: 'degraded', remaining: 4, lastError });
    await buffer.close();
    expect(buffer.health()).toEqual({ status: 'closed', remaining: 0 });
  });

  it('settles calls that wait when it is closed, and refuses later ones, though the source hangs', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const calls = [buffer.next(), buffer.nextBatch(3), buffer.ready()];
    const { signal } = await source.asked();
    const closed = expect.objectContaining({ code: 'ERR_IDS_CLOSED' });
    const closing = buffer.close();
    for (const call of calls) await expect(call).rejects.toEqual(closed);
    await closing;
    expect(signal?.aborted).toBe(true);
    await expect(buffer.next()).rejects.toEqual(closed);
    await expect(buffer.nextBatch(0)).rejects.toEqual(closed);
    await expect(buffer.ready()).rejects.toEqual(closed);
    expect(() => buffer.nextSync()).toThrow(closed);
    expect(() => buffer.nextBatchSync(1)).toThrow(closed);
    await buffer.close();
  });

  it('gives nothing after it was closed, and reports what it had in memory as a gap', async () => {
    const { buffer, events } = bufferOver(ScriptedSource.open());
    await buffer.next();
    await buffer.close();
    expect(() => buffer.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_CLOSED' }));
    expect(events.at(-1)).toMatchObject({ type: 'discard', segment: { low: 2, high: 10 } });
  });

  it('reports the last id of a segment as a gap, and nothing where it had none', async () => {
    const empty = bufferOver(new ScriptedSource());
    await empty.buffer.close();
    expect(empty.events).toEqual([]);
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answer();
    await ready;
    buffer.nextBatchSync(9);
    await buffer.close();
    const discarded = events.flatMap((event) => (event.type === 'discard' ? [event.segment] : []));
    expect(discarded).toEqual([{ low: 10, high: 10 }]);
  });

  it('gives every id up to 2^53 - 1 exactly, and then ERR_IDS_EXHAUSTED', async () => {
    const source = new MemorySegmentSource({ order: { startAfter: LAST_ID - 15 } });
    const { buffer } = bufferOver(source);
    const ids: string[] = [];
    for (let i = 0; i < 15; i++) ids.push(String(await buffer.next()));
    expect(ids).toEqual(Array.from({ length: 15 }, (_, i) => String(9007199254740977n + BigInt(i))));
    await expect(buffer.next()).rejects.toMatchObject({ code: 'ERR_IDS_EXHAUSTED', retryable: false });
  });

  it('says so when its source failed, and how', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { deadlineMs: 40 });
    const waiting = buffer.next();
    const failed = new Error('of a source that knows no IdError');
    (await source.asked()).refuse(failed);
    const cause = expect.objectContaining({ code: 'ERR_IDS_UNAVAILABLE', cause: failed });
    await expect(waiting).rejects.toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/"order".*\b40 ms\b/),
      cause,
    });
    expect(() => buffer.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
  });

  it('says with a refused synchronous call why there are no ids', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    expect(() => buffer.nextSync()).toThrow(expect.objectContaining({ cause: undefined }));
    (await source.asked()).refuse(unreachable);
    await source.asked();
    expect(() => buffer.nextSync()).toThrow(expect.objectContaining({ cause: unreachable }));
  });

  it('has ids for the largest of the synchronous batches that were refused', async () => {
    const { buffer } = bufferOver(ScriptedSource.open());
    for (const count of [95, 5]) {
      expect(() => buffer.nextBatchSync(count)).toThrow(
        expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }),
      );
    }
    await buffer.ready();
    expect(buffer.nextBatchSync(95)).toHaveLength(95);
  });

  it('is ready when all of a batch that was refused is there, and then again with any id', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    expect(() => buffer.nextBatchSync(25)).toThrow();
    let isReady = false;
    const ready = buffer.ready().then(() => {
      isReady = true;
    });
    (await source.asked()).answerWith({ low: 1, high: 10 });
    const rest = await source.asked();
    await settle();
    expect(isReady).toBe(false);
    rest.answerWith({ low: 11, high: 25 });
    await ready;
    expect(buffer.nextBatchSync(25)).toEqual(range(1, 25));
    const again = buffer.ready();
    (await source.asked()).answerWith({ low: 26, high: 26 });
    await again;
    expect(buffer.nextSync()).toBe(26);
  });

  it('is ready with a single id, and asks for one where it fetches nothing ahead', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { step: 1 });
    for (const id of [1, 2]) {
      const ready = buffer.ready();
      (await source.asked()).answer();
      await ready;
      expect(buffer.nextSync()).toBe(id);
    }
  });

  it('is not ready while ids that are here belong to a batch that waits', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const batch = buffer.nextBatch(25);
    let isReady = false;
    const ready = buffer.ready().then(() => {
      isReady = true;
    });
    (await source.asked()).answerWith({ low: 1, high: 10 });
    await source.asked();
    await settle();
    expect(isReady).toBe(false);
    source.maxId = 10;
    source.answerAll();
    expect(await batch).toEqual(range(1, 25));
    await ready;
  });

  it('gives a synchronous batch across two segments, and no more than that', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answer();
    await ready;
    expect(buffer.nextBatchSync(7)).toEqual(range(1, 7));
    (await source.asked()).answer();
    await settle();
    expect(buffer.nextBatchSync(7)).toEqual(range(8, 14));
    expect(buffer.nextSync()).toBe(15);
  });

  it('takes options without a signal', async () => {
    const { buffer } = bufferOver(ScriptedSource.open());
    await buffer.ready({});
    expect([await buffer.next({}), await buffer.nextBatch(2, {})]).toEqual([1, [2, 3]]);
  });

  it('says at the deadline that a source which answers sent too few ids', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { deadlineMs: 60 });
    const refused = expect(buffer.nextBatch(25)).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringMatching(`"order".*\\b60 ms: ${tooSlow().message}`),
    });
    for (const low of [1, 3]) {
      const call = await source.asked();
      vi.advanceTimersByTime(22);
      call.answerWith({ low, high: low + 1 });
    }
    await source.asked();
    vi.advanceTimersByTime(16);
    await refused;
  });

  it('is ready at once while ids are in memory, and asks for none', async () => {
    const source = ScriptedSource.open();
    const { buffer } = bufferOver(source);
    await buffer.ready();
    await buffer.ready();
    expect(source.reserved).toBe(1);
  });

  it('says why it threw segments away', async () => {
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source, { deadlineMs: 60 });
    const ready = buffer.ready();
    const slow = await source.asked();
    await expect(ready).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    while (source.pending.length < 2) await settle();
    source.maxId = 10;
    source.pending[1]?.answer();
    await buffer.next();
    slow.answerWith({ low: 1, high: 10 });
    await settle();
    buffer.nextBatchSync(5);
    const last = await source.asked();
    await buffer.close();
    last.answer();
    await settle();
    const reasons = events.flatMap((event) => (event.type === 'discard' ? [event.reason] : []));
    expect(reasons).toEqual([
      'came late: ids up to 20 were here before',
      'the generator was closed',
      'came after the generator was closed',
    ]);
  });

  it('is not disturbed by a listener that throws', async () => {
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const { buffer, events } = bufferOver(ScriptedSource.open());
    events.push = () => {
      throw new Error('listener of the user');
    };
    expect(await buffer.nextBatch(3)).toEqual([1, 2, 3]);
    expect((await warned).message).toBe('thrown by onEvent: Error: listener of the user');
  });
});
