import type { Counters } from '@ids/core';
import type { Segment } from './segment.js';
import type { SegmentEvent, SegmentListener } from './segment-event.js';

/** What a generator did that holds segments in memory. */
export type SegmentCounters = Required<Omit<Counters, 'takes' | 'stateLosses' | 'timeouts'>>;

type Told = Omit<SegmentCounters, 'idsIssued' | 'notReady'>;

/** Counts the events of one generator. */
export class EventCounter {
  readonly #counts = {
    idsDiscarded: 0,
    refills: 0,
    refillSeconds: 0,
    refillFailures: 0,
    regressions: 0,
    waits: 0,
    waitSeconds: 0,
  };

  /** A listener that counts each event, then passes it on. */
  listener(next: SegmentListener): SegmentListener {
    return (event) => {
      this.count(event);
      next(event);
    };
  }

  /** What the events told so far. */
  read(): Told {
    return { ...this.#counts };
  }

  /** Counts one event. */
  count(event: SegmentEvent): void {
    const counts = this.#counts;
    switch (event.type) {
      case 'refill':
        counts.refills += 1;
        counts.refillSeconds += event.tookMs / 1_000;
        break;
      case 'refill-failed':
        counts.refillFailures += 1;
        break;
      case 'regression':
      case 'new-reign':
        counts.regressions += 1;
        break;
      case 'discard':
        counts.idsDiscarded += sizeOf(event.segment);
        break;
      case 'wait':
        counts.waits += event.calls;
        counts.waitSeconds += event.waitedMs / 1_000;
        break;
    }
  }
}

function sizeOf({ low, high }: Segment): number {
  return high - low + 1;
}
