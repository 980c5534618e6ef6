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
      message: expect.stringMatching(/"order".*\b20 ms\b/),
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
          message: expect.stringContaining(shown),
        }),
      );
    }
    for (const name of ['a}', '\u0000', '\u007f', '\ud800']) {
      expect(() => source.createSequence(name)).toThrow(expect.objectContaining({ code: 'ERR_IDS_CONFIG' }));
    }
  });

  it('say where the range ends', () => {
    const cause = new Error('of the store');
    expect(sequenceExhausted('order', 10, cause)).toMatchObject({
      code: 'ERR_IDS_EXHAUSTED',
      message: expect.stringMatching(`"order".*\\b10\\b.*\\b${LAST_ID}\\b`),
      cause,
    });
  });

  it('say how far a sequence went back', () => {
    expect(jumpTooFar('order', 5, 100, 50)).toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message: expect.stringMatching(/"order".*\b5\b.*\b100\b.*\b50\b.*setFloor/),
    });
  });

  it('say where a sequence is that is not where it was expected', () => {
    expect(new SequenceMovedError('order', 10, 15)).toMatchObject({
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/"order".*\b15\b.*\b10\b/),
      maxId: 15,
    });
  });

  it('say which number is outside its range', async () => {
    const source = new MemorySegmentSource({ order: {} });
    const refused = async (made: Promise<unknown>, what: RegExp) =>
      expect(made).rejects.toThrow(
        expect.objectContaining({ name: 'RangeError', message: expect.stringMatching(what) }),
      );
    await refused(source.reserve('order', 0), /^size\b.*\b1\b.*\b1000000000\b.*\b0$/);
    await refused(source.reserve('order', 1, { floor: -1 }), /^floor\b.*2\^53 - 1\b.* -1$/);
    await refused(source.reserve('order', 1, { expectedMaxId: -1 }), /^expectedMaxId\b.*2\^53 - 1\b.* -1$/);
    expect(() => source.createSequence('ticket', { startAfter: -1 })).toThrow(
      /^startAfter\b.*2\^53 - 1\b.* -1$/,
    );
  });

  it('say which column of a table holds no id', () => {
    expect(readWholeNumber('2500', 'log_start')).toBe(2_500);
    expect(() => readWholeNumber('1.5', 'log_start')).toThrow(/^log_start\b.*\b9007199254740991\b.*\b1\.5$/);
  });
});
