import { IdError } from '@ids/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReserveOptions, SegmentBuffer } from '../src/index.js';
import { adaptiveBuffer, bufferOver, settle } from './buffer-support.js';
import { type PendingReserve, ScriptedSource } from './scripted-source.js';

const unreachable = new IdError('ERR_IDS_UNAVAILABLE', 'connection refused');

interface Asked extends ReserveOptions {
  /** How long ago the call before it failed, in milliseconds. */
  readonly pauseMs: number;
}

/** Fails `failures` times, then answers; and what it was asked for. */
async function afterFailures(failures: number, deadlineMs?: number): Promise<Asked[]> {
  const source = new ScriptedSource();
  const asked: Asked[] = [];
  let failedAt = performance.now();
  const reserve = source.reserve.bind(source);
  source.reserve = (name, size, options = {}) => {
    asked.push({ ...options, pauseMs: performance.now() - failedAt });
    return reserve(name, size, options);
  };
  const { buffer } = bufferOver(source, deadlineMs === undefined ? {} : { deadlineMs });
  const waiting = buffer.next();
  for (let failure = 0; failure < failures; failure++) {
    (await askedInTime(source)).refuse(unreachable);
    failedAt = performance.now();
  }
  (await askedInTime(source)).answer();
  expect(await waiting).toBe(1);
  return asked;
}

/** The oldest call that waits; time goes on until there is one. */
async function askedInTime(source: ScriptedSource): Promise<PendingReserve> {
  for (;;) {
    await settle();
    if (source.pending[0] !== undefined) return source.pending[0];
    await vi.advanceTimersToNextTimerAsync();
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  // In this order: a spy on a timer puts the one back that it found, which is a fake.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a source that fails again and again', () => {
  it.each([
    [0, [25, 50, 100, 200, 400, 500, 500]],
    [0.6, [40, 80, 160, 320, 640, 800, 800]],
  ])(
    'is asked again after pauses that double up to a second, half of each random: %d',
    async (random, ms) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      const [, ...retries] = await afterFailures(7);
      expect(retries.map(({ pauseMs }) => pauseMs)).toEqual(ms);
    },
  );

  it('is given half of the deadline at first, then twice as long each time, up to half a minute', async () => {
    const asked = await afterFailures(4, 10_001);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([5_001, 10_002, 20_004, 30_000, 30_000]);
  });

  it('is asked for no more than before, since attempts are no demand', async () => {
    const source = new ScriptedSource();
    const { buffer } = adaptiveBuffer(source);
    const waiting = buffer.next();
    const sizes: number[] = [];
    for (let failure = 0; failure < 3; failure++) {
      const call = await askedInTime(source);
      sizes.push(call.size);
      call.refuse(unreachable);
    }
    const last = await askedInTime(source);
    sizes.push(last.size);
    last.answer();
    await waiting;
    expect(sizes).toEqual([10, 10, 10, 10]);
  });

  it.each<[string, (buffer: SegmentBuffer<number>) => unknown]>([
    ['nextSync()', (buffer) => buffer.nextSync()],
    ['next()', (buffer) => buffer.next()],
    ['nextBatchSync()', (buffer) => buffer.nextBatchSync(1)],
  ])('is not asked again by itself where that would not help, but by the next %s', async (_name, take) => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answer();
    await ready;
    buffer.nextBatchSync(5);
    for (let refusals = 1; refusals <= 3; refusals++) {
      (await source.asked()).refuse(new IdError('ERR_IDS_CONFIG', 'there is no sequence "order"'));
      await vi.advanceTimersByTimeAsync(60_000);
      expect(source.reserved).toBe(1 + refusals);
      await take(buffer);
    }
    (await source.asked()).answer();
    await settle();
    expect(source.reserved).toBe(5);
    expect(buffer.health()).toMatchObject({ status: 'ok', remaining: 12 });
  });

  it('is not asked again either where nothing is in memory and nobody waits any more', async () => {
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const gone = new IdError('ERR_IDS_CONFIG', 'there is no sequence "order"');
    const refused = expect(buffer.next()).rejects.toBe(gone);
    (await source.asked()).refuse(gone);
    await refused;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.reserved).toBe(1);
  });

  it('is let go when the generator is closed, without a failure of its own', async () => {
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source);
    const waiting = buffer.next();
    (await source.asked()).refuse(unreachable);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await settle();
    const [pause] = timers.mock.results.map(({ value }) => value);
    expect(pause.hasRef()).toBe(false);
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const closed = expect.objectContaining({ code: 'ERR_IDS_CLOSED' });
    const closing = buffer.close();
    await expect(waiting).rejects.toEqual(closed);
    await closing;
    expect(source.reserved).toBe(1);
    expect(cleared).toHaveBeenCalledWith(pause);
    const hanging = bufferOver(new ScriptedSource());
    const call = hanging.buffer.next();
    await settle();
    await Promise.all([hanging.buffer.close(), expect(call).rejects.toEqual(closed)]);
    expect(hanging.events.map(({ type }) => type)).toEqual(['wait']);
    expect(events.map(({ type }) => type)).toEqual(['refill-failed', 'wait']);
  });
});
