import { describe, expect, it } from 'vitest';
import { EventCounter, type SegmentEvent } from '../src/index.js';

const segment = { low: 11, high: 20 };
const name = 'order';

describe('the counters of a generator', () => {
  it('add up what its events tell, times in seconds, and pass each on', () => {
    const counter = new EventCounter();
    const passed: SegmentEvent[] = [];
    const listener = counter.listener((event) => passed.push(event));
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
    for (const event of events) listener(event);
    expect(counter.read()).toEqual({
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
