import { IdError } from '@ids/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SegmentBuffer } from '../src/index.js';
import { type BufferSettings, bufferOver, range } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

/** A buffer with the ids 2 to 10 in memory, and its source, which does not answer again by itself. */
async function withNineIds(
  settings?: BufferSettings,
): Promise<{ readonly buffer: SegmentBuffer<number>; readonly source: ScriptedSource }> {
  const source = new ScriptedSource();
  const { buffer } = bufferOver(source, settings);
  const first = buffer.next();
  (await source.asked()).answer();
  await first;
  return { buffer, source };
}

describe('calls behind a batch for which too few ids are in memory', () => {
  it('get these ids when the batch gives up, although the source does not answer', async () => {
    const { buffer } = await withNineIds();
    const controller = new AbortController();
    const batch = buffer.nextBatch(12, { signal: controller.signal });
    const behind = Promise.all([buffer.next(), buffer.nextBatch(3)]);
    controller.abort(new Error('enough'));
    await expect(batch).rejects.toThrow('enough');
    expect(await behind).toEqual([2, [3, 4, 5]]);
    expect(await buffer.next()).toBe(6);
  });

  it('get these ids when the deadline of the batch has passed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { buffer } = await withNineIds({ deadlineMs: 60 });
    const late = expect(buffer.nextBatch(12)).rejects.toMatchObject({ code: 'ERR_IDS_TIMEOUT' });
    vi.advanceTimersByTime(40);
    const behind = buffer.next();
    vi.advanceTimersByTime(30);
    await late;
    expect(await behind).toBe(2);
  });

  it('get these ids when the source says that no more will come', async () => {
    const { buffer, source } = await withNineIds();
    const gone = new IdError('ERR_IDS_CONFIG', 'there is no sequence "order"');
    const large = [buffer.nextBatch(12), buffer.nextBatch(11)];
    const refused = Promise.all(large.map((batch) => expect(batch).rejects.toBe(gone)));
    const behind = Promise.all([buffer.next(), buffer.nextBatch(3), buffer.ready()]);
    const largest = expect(buffer.nextBatch(10)).rejects.toBe(gone);
    (await source.asked()).refuse(gone);
    expect(await behind).toEqual([2, [3, 4, 5], undefined]);
    await Promise.all([refused, largest]);
    expect(buffer.health().remaining).toBe(5);
  });

  it('take no id when they give up by the same signal', async () => {
    const { buffer } = await withNineIds();
    const controller = new AbortController();
    const { signal } = controller;
    const calls = [
      buffer.nextBatch(12, { signal }),
      buffer.next({ signal }),
      buffer.nextBatch(2, { signal }),
    ];
    const refused = Promise.all(calls.map((call) => expect(call).rejects.toThrow('enough')));
    controller.abort(new Error('enough'));
    await refused;
    expect(await buffer.nextBatch(9)).toEqual(range(2, 10));
  });

  it('do not keep ready() waiting once the batch has given up', async () => {
    const { buffer } = await withNineIds();
    const controller = new AbortController();
    const batch = buffer.nextBatch(12, { signal: controller.signal });
    const ready = buffer.ready();
    controller.abort(new Error('enough'));
    await expect(batch).rejects.toThrow('enough');
    await ready;
    expect(buffer.nextSync()).toBe(2);
  });
});
