import { IdError } from '@ids/core';
import type { PauseOptions } from '@ids/core/strategy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReserveOptions, SegmentBuffer } from '../src/index.js';
import { adaptiveBuffer, bufferOver, settle } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

/** How long the pauses were to be, in milliseconds. They end at once, or when they are cut short. */
let pauses: number[];
let endAtOnce = true;
let cutShorts = 0;

vi.mock('@ids/core/strategy', async (original) => ({
  ...(await original<object>()),
  pause: (ms: number, { ref, signal }: PauseOptions): Promise<void> => {
    pauses.push(ms);
    if (endAtOnce) return new Promise((resolve) => setImmediate(resolve));
    // One that keeps the process alive would never end in a test of that.
    return new Promise((resolve) => {
      const cutShort = (): void => {
        cutShorts++;
        resolve();
      };
      if (ref === false) signal?.addEventListener('abort', () => setImmediate(cutShort));
    });
  },
}));

const unreachable = new IdError('ERR_IDS_UNAVAILABLE', 'connection refused');

/** Fails `failures` times, then answers; and what it was asked for. */
async function afterFailures(failures: number, deadlineMs?: number): Promise<ReserveOptions[]> {
  const source = new ScriptedSource();
  const asked: ReserveOptions[] = [];
  const reserve = source.reserve.bind(source);
  source.reserve = (name, size, options = {}) => {
    asked.push(options);
    return reserve(name, size, options);
  };
  const { buffer } = bufferOver(source, deadlineMs === undefined ? {} : { deadlineMs });
  const waiting = buffer.next();
  for (let failure = 0; failure < failures; failure++) {
    (await source.asked()).refuse(unreachable);
  }
  (await source.asked()).answer();
  expect(await waiting).toBe(1);
  return asked;
}

beforeEach(() => {
  pauses = [];
  endAtOnce = true;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a source that fails again and again', () => {
  it.each([
    [0, [25, 50, 100, 200, 400, 500, 500]],
    [0.5, [37.5, 75, 150, 300, 600, 750, 750]],
  ])(
    'is asked again after pauses that double up to a second, half of each random: %d',
    async (random, ms) => {
      vi.spyOn(Math, 'random').mockReturnValue(random);
      await afterFailures(7);
      expect(pauses).toEqual(ms);
    },
  );

  it('is given half of the deadline at first, then twice as long each time, up to half a minute', async () => {
    // What the source is told is what is left of it: on a clock that stands still, all.
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked = await afterFailures(4, 10_001);
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([5_001, 10_002, 20_004, 30_000, 30_000]);
  });

  it('is asked for no more than before, since attempts are no demand', async () => {
    const source = new ScriptedSource();
    const { buffer } = adaptiveBuffer(source);
    const waiting = buffer.next();
    const sizes: number[] = [];
    for (let failure = 0; failure < 3; failure++) {
      const call = await source.asked();
      sizes.push(call.size);
      call.refuse(unreachable);
    }
    sizes.push((await source.asked()).size);
    (await source.asked()).answer();
    await waiting;
    expect(sizes).toEqual([10, 10, 10, 10]);
  });

  it.each<[string, (buffer: SegmentBuffer<number>) => unknown]>([
    ['nextSync()', (buffer) => buffer.nextSync()],
    ['next()', (buffer) => buffer.next()],
    ['nextBatchSync()', (buffer) => buffer.nextBatchSync(1)],
  ])('is not asked again by itself where that would not help, but by the next %s', async (_name, take) => {
    // Answers that take no time: a slow one would raise the low-water mark.
    vi.useFakeTimers({ toFake: ['performance'] });
    const source = new ScriptedSource();
    const { buffer } = bufferOver(source);
    const ready = buffer.ready();
    (await source.asked()).answer();
    await ready;
    buffer.nextBatchSync(5);
    for (let refusals = 1; refusals <= 3; refusals++) {
      (await source.asked()).refuse(new IdError('ERR_IDS_CONFIG', 'there is no sequence "order"'));
      for (let turn = 0; turn < 10; turn++) await settle();
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
    for (let turn = 0; turn < 10; turn++) await settle();
    expect(source.reserved).toBe(1);
  });

  it('is let go when the generator is closed, without a failure of its own', async () => {
    endAtOnce = false;
    const source = new ScriptedSource();
    const { buffer, events } = bufferOver(source);
    const waiting = buffer.next();
    (await source.asked()).refuse(unreachable);
    while (pauses.length === 0) await settle();
    const closed = expect.objectContaining({ code: 'ERR_IDS_CLOSED' });
    const closing = buffer.close();
    await expect(waiting).rejects.toEqual(closed);
    await closing;
    expect([source.reserved, cutShorts]).toEqual([1, 1]);
    const hanging = bufferOver(new ScriptedSource());
    const call = hanging.buffer.next();
    await settle();
    await Promise.all([hanging.buffer.close(), expect(call).rejects.toEqual(closed)]);
    expect(hanging.events.map(({ type }) => type)).toEqual(['wait']);
    expect(events.map(({ type }) => type)).toEqual(['refill-failed', 'wait']);
  });
});
