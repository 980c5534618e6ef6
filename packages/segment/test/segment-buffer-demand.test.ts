import { IdError } from '@ids/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { adaptiveBuffer, bufferOver, range, settle } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

const unreachable = new IdError('ERR_IDS_UNAVAILABLE', 'connection refused');

describe('SegmentBuffer', () => {
  it('asks its source once at a cold start', async () => {
    const source = ScriptedSource.open();
    const { buffer } = bufferOver(source, { step: 1_000 });
    expect(await buffer.next()).toBe(1);
    await settle();
    expect(source.reserved).toBe(1);
    expect(source.maxId).toBe(1_000);
  });

  it('asks its source once for a thousand callers that find it empty', async () => {
    const source = ScriptedSource.open();
    const { buffer } = bufferOver(source, { step: 1_000 });
    const ids = await Promise.all(range(1, 1_000).map(() => buffer.next()));
    await settle();
    expect(ids).toEqual(range(1, 1_000));
    expect(source.reserved).toBe(1);
  });

  it('reserves on its own one segment when half of the last is left, where no more may be lost', async () => {
    const source = ScriptedSource.open();
    const { buffer } = bufferOver(source, { step: 100, maxIdsLost: 150 });
    for (let given = 1; given <= 1_000; given++) {
      await buffer.next();
      await settle();
      expect(source.maxId - given).toBeLessThanOrEqual(150);
    }
  });

  it('holds three segments at most, the one in use and two ahead of it, where nothing bounds what may be lost', async () => {
    const source = ScriptedSource.open();
    const { buffer } = bufferOver(source, { step: 100 });
    for (let given = 1; given <= 1_000; given++) {
      await buffer.next();
      await settle();
      expect(source.maxId - given).toBeLessThanOrEqual(300);
    }
  });

  it('refuses a batch of more ids than may be lost, since all of them are in memory before they are given', async () => {
    const { buffer } = bufferOver(ScriptedSource.open(), { step: 10, maxIdsLost: 20 });
    expect(await buffer.nextBatch(20)).toEqual(range(1, 20));
    const message = /at most maxIdsLost, 20.* got 21/;
    await expect(buffer.nextBatch(21)).rejects.toThrow(message);
    expect(() => buffer.nextBatchSync(21)).toThrow(message);
    expect(() => buffer.nextBatchSync(21)).toThrow(RangeError);
  });

  it('serves a crowd that wants more than may be lost, one piece after the other', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { step: 10, maxIdsLost: 20 });
    const waiting = Promise.all(range(1, 30).map(() => buffer.next()));
    expect((await source.asked()).size).toBe(20);
    source.answerAll();
    expect(await waiting).toEqual(range(1, 30));
  });

  it('tells once of all callers that had to wait for the same segment, and how long', async () => {
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source);
    const waiting = Promise.all([buffer.next(), buffer.nextBatch(3), buffer.next()]);
    (await source.asked()).answer();
    await waiting;
    expect(buffer.nextSync()).toBe(6);
    const waits = events.filter(({ type }) => type === 'wait');
    expect(waits).toEqual([{ type: 'wait', name: 'order', calls: 3, waitedMs: expect.any(Number) }]);
  });

  it('tells of the longest of these waits, each time anew', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source, { step: 1 });
    const first = buffer.next();
    vi.advanceTimersByTime(100);
    const second = buffer.next();
    vi.advanceTimersByTime(50);
    (await source.asked()).answer();
    await Promise.all([first, second]);
    const third = buffer.next();
    vi.advanceTimersByTime(30);
    (await source.asked()).answer();
    await third;
    await settle();
    const waits = events.flatMap((event) => (event.type === 'wait' ? [[event.calls, event.waitedMs]] : []));
    expect(waits).toEqual([
      [2, 150],
      [1, 30],
    ]);
  });

  it('reserves as much as is used up in ten times the latency of the source', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = new ScriptedSource();
    const { buffer } = adaptiveBuffer(source);
    const sizes: number[] = [];
    const answerAfter = async (ms: number) => {
      const call = await source.asked();
      vi.advanceTimersByTime(ms);
      sizes.push(call.size);
      call.answer();
      await settle();
    };
    void buffer.ready();
    await answerAfter(500);
    buffer.nextBatchSync(4);
    vi.advanceTimersByTime(500);
    buffer.nextBatchSync(2);
    await answerAfter(500);
    buffer.nextBatchSync(18);
    vi.advanceTimersByTime(500);
    buffer.nextBatchSync(1);
    await answerAfter(500);
    // 6 ids in the first second, 19 in the next one.
    expect(sizes).toEqual([10, 30, 95]);
    expect(buffer.counters()).toMatchObject({ refills: 3, refillSeconds: 1.5 });
  });

  it('asks again at half of a segment that is smaller than the step', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answerWith({ low: 1, high: 4 });
    await ready;
    buffer.nextSync();
    await settle();
    expect(source.pending).toEqual([]);
    buffer.nextSync();
    expect((await source.asked()).size).toBe(10);
  });

  it('gives a batch of all that is in memory at once', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answer();
    await ready;
    expect(await buffer.nextBatch(10)).toEqual(range(1, 10));
    (await source.asked()).answer();
    await buffer.ready();
    expect(buffer.nextBatchSync(10)).toEqual(range(11, 20));
    expect(buffer.nextBatchSync(0)).toEqual([]);
    expect(buffer.counters()).toMatchObject({ waits: 0, notReady: 0 });
  });

  it('reserves on top of a step what would leave so little of it that more were due at once', async () => {
    for (const [wanted, size] of [
      [4, 10],
      [5, 15],
    ] as const) {
      const source = new ScriptedSource();
      void bufferOver(source)
        .buffer.nextBatch(wanted)
        .catch(() => {});
      expect((await source.asked()).size).toBe(size);
    }
  });

  it('tells of callers that waited in vain', async () => {
    const { buffer, events } = bufferOver(new ScriptedSource(), { deadlineMs: 30 });
    await expect(buffer.next()).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    expect(events).toContainEqual({ type: 'wait', name: 'order', calls: 1, waitedMs: expect.any(Number) });
  });

  it('counts what it does', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    expect(() => buffer.nextSync()).toThrow();
    (await source.asked()).refuse(unreachable);
    (await source.asked()).answer();
    await buffer.nextBatch(4);
    buffer.nextSync();
    // The source goes back and gives a segment that was there before.
    (await source.asked()).answerWith({ low: 1, high: 10 });
    (await source.asked()).answer();
    const batch = buffer.nextBatch(25);
    source.answerAll();
    await batch;
    const counted = {
      idsIssued: 30,
      idsDiscarded: 0,
      refills: 3,
      refillSeconds: expect.any(Number),
      refillFailures: 1,
      regressions: 1,
      waits: 2,
      waitSeconds: expect.any(Number),
      notReady: 1,
    };
    expect(buffer.counters()).toEqual(counted);
    await buffer.close();
    // One id was skipped above the answer that was there before.
    expect(buffer.counters()).toEqual({ ...counted, idsDiscarded: source.maxId - 31 });
  });
});
