import { describe, expect, it } from 'vitest';
import { LastRegression, type SegmentEvent } from '../src/index.js';

const segment = { low: 11, high: 20 };
const name = 'order';

describe('what a health report says of a source that went back', () => {
  it('is nothing before that, and nothing of other events', () => {
    const regression = new LastRegression();
    regression.note({ type: 'refill', name, segment, tookMs: 1 });
    regression.note({ type: 'warning', name, message: 'w' });
    expect(regression.facts).toStrictEqual({});
  });

  it.each<[SegmentEvent, string]>([
    [
      { type: 'regression', name, floor: 30, segment },
      'the source gave 11..20 although ids up to 30 were reserved before',
    ],
    [
      { type: 'new-reign', name, cause: 'failover', skipped: 7, segment },
      'the source has another history after a failover: 7 ids below 11 were skipped',
    ],
  ])('is what happened last, and when: %o', (event, message) => {
    const regression = new LastRegression();
    const before = Date.now();
    regression.note(event);
    const { lastRegression } = regression.facts;
    expect(lastRegression?.message).toBe(message);
    expect(lastRegression?.at.getTime()).toBeGreaterThanOrEqual(before);
    regression.note({ type: 'refill', name, segment, tookMs: 1 });
    expect(regression.facts).toEqual({ lastRegression });
  });
});
