import { getEventListeners } from 'node:events';
import type { RequestOptions } from '@ids/core';
import { readWholeNumber } from '@ids/store';
import { withTimeout } from '@ids/waiting';
import { describe, expect, it } from 'vitest';
import {
  describeWithin,
  LAST_ID,
  MemorySegmentSource,
  type SegmentEvent,
  SequenceMovedError,
  type SequenceState,
} from '../src/index.js';
import { jumpTooFar, sequenceExhausted } from '../src/segment-source.js';
import { ScriptedSource } from './scripted-source.js';

/** A source that answers `describe` with `sequence`, or not at all. */
function sourceOf(sequence: SequenceState | undefined) {
  const source = new ScriptedSource();
  const signals: (AbortSignal | undefined)[] = [];
  source.describe = (_name?: string, options?: RequestOptions) => {
    signals.push(options?.signal);
    return sequence === undefined ? new Promise(() => {}) : Promise.resolve(sequence);
  };
  return { source, signals };
}

const sequence: SequenceState = { realm: 'r', maxId: 5, warnings: ['one', 'two'] };

describe('the look at a sequence when a dispenser opens', () => {
  it('gives the sequence, and tells what its store is not set up to survive', async () => {
    const events: SegmentEvent[] = [];
    const onEvent = (event: SegmentEvent) => void events.push(event);
    expect(await describeWithin(sourceOf(sequence).source, 'order', 30_000, onEvent)).toBe(sequence);
    expect(events).toEqual(['one', 'two'].map((message) => ({ type: 'warning', name: 'order', message })));
    expect(await describeWithin(sourceOf(sequence).source, 'order', 30_000)).toBe(sequence);
    const sound = { realm: 'r', maxId: 5 };
    expect(await describeWithin(sourceOf(sound).source, 'order', 30_000, onEvent)).toBe(sound);
    expect(events).toHaveLength(2);
  });

  it('is given up at the deadline, and tells the source so', async () => {
    const { source, signals } = sourceOf(undefined);
    await expect(describeWithin(source, 'order', 20)).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: 'sequence "order": its source did not answer within 20 ms',
    });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});

describe('work within a time', () => {
  const expired = () => new Error('too late');

  it('is not begun for a parent that has given up', async () => {
    let begun = false;
    const work = withTimeout(30_000, AbortSignal.abort(new Error('over')), expired, async () => {
      begun = true;
    });
    await expect(work).rejects.toThrow('over');
    expect(begun).toBe(false);
  });

  it('is told when the parent gives up, and leaves nothing on the signal of that', async () => {
    const parent = new AbortController();
    let given: AbortSignal | undefined;
    const work = withTimeout(30_000, parent.signal, expired, (signal) => {
      given = signal;
      return new Promise(() => {});
    });
    const listeners = () => getEventListeners(parent.signal, 'abort').length;
    expect(listeners()).toBe(1);
    parent.abort(new Error('over'));
    await expect(work).rejects.toThrow('over');
    expect(given?.aborted).toBe(true);
    const other = new AbortController();
    expect(await withTimeout(30_000, other.signal, expired, async () => 42)).toBe(42);
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
  });

  it('keeps no timer once it is done', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await withTimeout(30_000, undefined, expired, async () => {});
    expect(timers()).toBe(before);
  });
});

describe('the errors of all sources', () => {
  it('say how to make a sequence that is missing', async () => {
    await expect(new MemorySegmentSource().describe('order')).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(
        /^there is no sequence "order" in this MemorySegmentSource; create it once .* if it was lost, with startAfter/,
      ),
    });
  });

  it('say what a sequence name may be', () => {
    const source = new MemorySegmentSource();
    for (const [name, shown] of [
      ['a{b', '"a{b"'],
      [42, '42'],
      [['order'], 'an array'],
    ] as const) {
      expect(() => source.createSequence(name as string)).toThrow(
        expect.objectContaining({
          code: 'ERR_IDS_CONFIG',
          message: `a sequence name must be 1 to 255 characters, no control characters, no braces, got ${shown}`,
        }),
      );
    }
    for (const name of ['a}', '\u0000', '\u007f', '\ud800']) {
      expect(() => source.createSequence(name)).toThrow('no control characters');
    }
  });

  it('say where the range ends', () => {
    const cause = new Error('of the store');
    expect(sequenceExhausted('order', 10, cause)).toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
      message: `sequence "order": fewer than 10 ids are left up to the last one, ${LAST_ID}`,
      cause,
    });
  });

  it('say how far a sequence went back', () => {
    expect(jumpTooFar('order', 5, 100, 50)).toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message:
        'sequence "order" is at 5, but ids up to 100 were reserved before: that is more than the 50 ids that are ' +
        'skipped automatically; find out why it went back, then use setFloor',
    });
  });

  it('say where a sequence is that is not where it was expected', () => {
    expect(new SequenceMovedError('order', 10, 15)).toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: 'sequence "order" is at 15, not at 10 as expected: nothing was reserved',
      maxId: 15,
    });
  });

  it('say which number is outside its range', async () => {
    const source = new MemorySegmentSource({ order: {} });
    const refused = async (made: Promise<unknown>, message: string) =>
      expect(made).rejects.toThrow(expect.objectContaining({ name: 'RangeError', message }));
    await refused(source.reserve('order', 0), 'size must be a whole number from 1 to 1000000000, got 0');
    const bound = 'must be a whole number from 0 to 2^53 - 1, got -1';
    await refused(source.reserve('order', 1, { floor: -1 }), `floor ${bound}`);
    await refused(source.reserve('order', 1, { expectedMaxId: -1 }), `expectedMaxId ${bound}`);
    expect(() => source.createSequence('ticket', { startAfter: -1 })).toThrow(`startAfter ${bound}`);
  });

  it('say which column of a table holds no id', () => {
    expect(readWholeNumber('2500', 'log_start')).toBe(2_500);
    expect(() => readWholeNumber('1.5', 'log_start')).toThrow(
      'log_start must be a whole number from 0 to 9007199254740991, got 1.5',
    );
  });
});
