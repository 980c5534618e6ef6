import { guardedListener } from '@ids/waiting';
import { describe, expect, it, vi } from 'vitest';
import { Journal, type SegmentEvent } from '../src/index.js';

const segment = { low: 11, high: 20 };
const name = 'order';

/** The next warning of this process, as `process.emitWarning` makes it. */
function nextWarning(): Promise<Error> {
  return new Promise((resolve) => process.once('warning', resolve));
}

describe('a listener of the user', () => {
  it.each([
    ['throws an error', () => fail(new Error('of the user'))],
    ['throws what is no error', () => fail('of the user')],
    ['rejects', async () => fail(new Error('of the user'))],
    [
      'gives a thenable that rejects',
      // biome-ignore lint/suspicious/noThenProperty: what a listener of another library may return
      () => ({ then: (_: unknown, reject: (reason: unknown) => void) => reject(new Error('of the user')) }),
    ],
  ])('that %s becomes a process warning', async (_, listener: () => unknown) => {
    const warned = nextWarning();
    guardedListener<string>(listener as (event: string) => void)('event');
    expect((await warned).message).toContain('of the user');
  });

  it.each([
    [new TypeError('of the user'), 'thrown by onEvent: TypeError: of the user'],
    ['of the user', 'thrown by onEvent: "of the user"'],
  ])('is named in the warning about %s, which has what was thrown as its cause', async (thrown, message) => {
    const warned = nextWarning();
    guardedListener(() => fail(thrown))('event');
    expect(await warned).toMatchObject({ name: 'Warning', message, cause: thrown });
  });

  it('gets each event, and may return anything or be missing', () => {
    const events: string[] = [];
    // biome-ignore lint/suspicious/noThenProperty: what a listener of another library may return
    for (const returned of [undefined, null, 5, { then: 'no function' }]) {
      guardedListener<string>((event) => {
        events.push(event);
        return returned as undefined;
      })('event');
    }
    expect(events).toEqual(['event', 'event', 'event', 'event']);
    const warn = vi.spyOn(process, 'emitWarning');
    guardedListener(undefined)('event');
    expect(warn).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

function fail(reason: unknown): never {
  throw reason;
}

describe('the counters of a generator', () => {
  it('add up what its events tell, times in seconds, and pass each on', () => {
    const passed: SegmentEvent[] = [];
    const journal = new Journal((event) => passed.push(event));
    const events: SegmentEvent[] = [
      { type: 'refill', name, segment, tookMs: 1_500 },
      { type: 'refill', name, segment, tookMs: 500 },
      { type: 'refill-failed', name, error: new Error('gone') },
      { type: 'regression', name, floor: 30, segment },
      { type: 'new-reign', name, cause: 'restore', skipped: 7, segment },
      { type: 'discard', name, segment, reason: 'closed' },
      { type: 'discard', name, segment: { low: 5, high: 5 }, reason: 'closed' },
      { type: 'wait', name, calls: 3, waitedMs: 250 },
      { type: 'wait', name, calls: 1, waitedMs: 250 },
      { type: 'warning', name, message: 'w' },
    ];
    for (const event of events) journal.emit(event);
    expect(journal.counts).toEqual({
      idsDiscarded: 11,
      refills: 2,
      refillSeconds: 2,
      refillFailures: 1,
      regressions: 2,
      waits: 4,
      waitSeconds: 0.5,
    });
    expect(passed).toEqual(events);
  });
});

describe('what a health report says of a source that went back', () => {
  it('is nothing before that, and nothing of other events', () => {
    const journal = new Journal(undefined);
    journal.emit({ type: 'refill', name, segment, tookMs: 1 });
    journal.emit({ type: 'warning', name, message: 'w' });
    expect(journal.regression).toStrictEqual({});
  });

  it.each<[SegmentEvent, string]>([
    [
      { type: 'regression', name, floor: 30, segment },
      'the source returned 11..20, but ids up to 30 were reserved before',
    ],
    [
      { type: 'new-reign', name, cause: 'failover', skipped: 7, segment },
      'the source has another history after a failover: 7 ids below 11 were skipped',
    ],
    [
      { type: 'reinstated', name, reign: 'c', follows: ['b'], maxId: 30, skipped: 7 },
      'a former primary counts as the primary again, in the reign c: 7 ids up to 30 were skipped',
    ],
  ])('is what happened last, and when: %o', (event, message) => {
    const journal = new Journal(undefined);
    const before = Date.now();
    journal.emit(event);
    const { lastRegression } = journal.regression;
    expect(lastRegression?.message).toBe(message);
    expect(lastRegression?.at.getTime()).toBeGreaterThanOrEqual(before);
    journal.emit({ type: 'refill', name, segment, tookMs: 1 });
    expect(journal.regression).toEqual({ lastRegression });
  });
});
