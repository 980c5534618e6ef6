import { IdError } from '@ids/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReserveOptions } from '../src/index.js';
import { bufferOver } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

/** How long the pauses were to be, in milliseconds. They end at once. */
let pauses: number[];

vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => {
    pauses.push(ms);
    return new Promise((resolve) => setImmediate(resolve));
  },
}));

/** Fails `failures` times, then answers; and what it was asked for. */
async function afterFailures(failures: number, deadlineMs?: number): Promise<ReserveOptions[]> {
  pauses = [];
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
    (await source.asked()).refuse(new IdError('ERR_IDS_UNAVAILABLE', 'connection refused'));
  }
  (await source.asked()).answer();
  expect(await waiting).toBe(1);
  return asked;
}

describe('a source that fails again and again', () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

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
});
