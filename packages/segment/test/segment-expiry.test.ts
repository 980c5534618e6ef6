import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HeldSegments } from '../src/held-segments.js';
import type { Segment } from '../src/segment.js';
import { bufferOver, range, settle } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

/** Moves the monotonic clock to `at`, without letting any timer run. */
function jumpTo(at: number): void {
  vi.advanceTimersByTime(at - performance.now());
}

/** A buffer that holds `low..high`, dying after `lifeMs`; resolves with the time of its death. */
async function holding(low: number, high: number, { step = 10, lifeMs = 60 } = {}) {
  const source = new ScriptedSource();
  // The clock stands still, so that no pause of this process decides whether they are dead.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const under = bufferOver(source, { step });
  const ready = under.buffer.ready();
  const expiresAt = performance.now() + lifeMs;
  (await source.asked()).answerWith({ low, high, expiresAt });
  await ready;
  return { ...under, source, expiresAt };
}

describe('SegmentBuffer over segments that die', () => {
  it('gives their ids until then, also synchronously', async () => {
    // Longer than any pause of this process, which must not decide whether they are dead.
    const { buffer, events } = await holding(1, 10, { lifeMs: 600_000 });
    expect([buffer.nextSync(), await buffer.next()]).toEqual([1, 2]);
    expect([...buffer.nextBatchSync(2), ...(await buffer.nextBatch(2))]).toEqual([3, 4, 5, 6]);
    expect(buffer.health()).toMatchObject({ remaining: 4 });
    expect(events.map(({ type }) => type)).not.toContain('discard');
  });

  it('gives none of them afterwards, even when no timer could run in between', async () => {
    const { buffer, source, events, expiresAt } = await holding(1, 10);
    const before: number[] = [];
    expect(() => {
      for (;;) {
        before.push(buffer.nextSync());
        if (before.length === 2) jumpTo(expiresAt);
      }
    }).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    expect(before).toEqual(range(1, 2));
    expect(buffer.health()).toMatchObject({ remaining: 0 });
    expect(() => buffer.nextBatchSync(1)).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
    const reason = 'its day, month or year is over';
    expect(events).toContainEqual({ type: 'discard', name: 'order', segment: { low: 3, high: 10 }, reason });
    expect(buffer.counters()).toMatchObject({ idsIssued: 2, idsDiscarded: 8 });
    const waiting = [buffer.next(), buffer.nextBatch(2), buffer.ready()] as const;
    (await source.asked()).answerWith({ low: 1_001, high: 1_010 });
    expect(await Promise.all(waiting)).toEqual([1_001, [1_002, 1_003], undefined]);
  });

  it('is not ready with a segment whose day ended on its way', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answerWith({ low: 1, high: 10, expiresAt: performance.now() });
    (await source.asked()).answerWith({ low: 1_001, high: 1_010 });
    await ready;
    expect(buffer.nextSync()).toBe(1_001);
  });

  it('does not give the last one either', async () => {
    const { buffer, expiresAt } = await holding(1, 1);
    jumpTo(expiresAt);
    expect(() => buffer.nextSync()).toThrow(expect.objectContaining({ code: 'ERR_IDS_NOT_READY' }));
  });

  it('gives none at the very moment of their death', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const dropped: Segment[] = [];
    const held = new HeldSegments((segment) => dropped.push(segment));
    held.append({ low: 1, high: 10, expiresAt: performance.now() + 1 }, 5);
    expect(held.has(10)).toBe(true);
    expect(dropped).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(held.has(1)).toBe(false);
    expect(dropped).toEqual([{ low: 1, high: 10 }]);
  });

  it('does not put a batch together from a dead segment and the one after it', async () => {
    const { buffer, source, expiresAt } = await holding(1, 3);
    const batch = buffer.nextBatch(5);
    const fetch = await source.asked();
    jumpTo(expiresAt);
    fetch.answerWith({ low: 1_001, high: 1_010 });
    expect(await batch).toEqual(range(1_001, 1_005));
  });

  it('gives ids whose day ended on their way to those who asked before it did, and to nobody else', async () => {
    // So that it ends at the very moment at which they arrive.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source);
    const early = buffer.next();
    const fetch = await source.asked();
    const late = [buffer.next(), buffer.next()];
    fetch.answerWith({ low: 1, high: 10, expiresAt: performance.now() });
    expect(await early).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'discard', segment: { low: 2, high: 10 } }),
    );
    (await source.asked()).answerWith({ low: 1_001, high: 1_010, expiresAt: performance.now() + 60_000 });
    expect(await Promise.all(late)).toEqual([1_001, 1_002]);
  });

  it('reserves above their ids all the same', async () => {
    const { buffer, source, events, expiresAt } = await holding(1, 10);
    jumpTo(expiresAt);
    const next = buffer.next();
    (await source.asked()).answerWith({ low: 5, high: 14 });
    const healing = await source.asked();
    expect(healing.floor).toBe(15);
    healing.answerWith({ low: 16, high: 25 });
    expect(await next).toBe(16);
    expect(events.map(({ type }) => type)).toContain('regression');
  });
});

describe('SegmentBuffer with a step of 1', () => {
  it('fetches nothing ahead, and together what is asked for together', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { step: 1 });
    const first = buffer.next();
    (await source.asked()).answer();
    expect(await first).toBe(1);
    await settle();
    expect(source.pending).toEqual([]);
    const together = Promise.all([buffer.next(), buffer.nextBatch(3), buffer.next()]);
    const fetch = await source.asked();
    expect(fetch.size).toBe(5);
    fetch.answer();
    expect(await together).toEqual([2, [3, 4, 5], 6]);
    await settle();
    expect(source.reserved).toBe(2);
  });

  it('gives the id of a call that was given up to the next one, so that there is no gap', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source, { step: 1 });
    const controller = new AbortController();
    const abandoned = buffer.next({ signal: controller.signal });
    const fetch = await source.asked();
    controller.abort(new Error('given up'));
    await expect(abandoned).rejects.toThrow('given up');
    fetch.answer();
    await settle();
    expect(await buffer.next()).toBe(1);
    expect(source.pending).toEqual([]);
  });
});
