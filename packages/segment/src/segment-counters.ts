import type { Segment } from './segment.js';
import type { SegmentEvent, SegmentListener } from './segment-event.js';

/** What a generator did since it was opened. Every number only rises. */
export interface SegmentCounters {
  /** Ids given to callers. */
  readonly idsIssued: number;
  /** Ids of segments that were thrown away unused. What a crash burns is counted by nobody. */
  readonly idsDiscarded: number;
  /** Segments that arrived, and how long these answers took together, in seconds. */
  readonly refills: number;
  readonly refillSeconds: number;
  /** Attempts to fetch a segment that failed. */
  readonly refillFailures: number;
  /** Times that the source was found to have gone back, or to have another history than before. */
  readonly regressions: number;
  /** Calls that found too few ids in memory and had to wait, whatever became of them. */
  readonly waits: number;
  /** How long callers waited: of calls that ended together, the longest. In seconds. */
  readonly waitSeconds: number;
  /** Synchronous calls that threw `ERR_IDS_NOT_READY`. */
  readonly notReady: number;
}

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
      this.#count(event);
      next(event);
    };
  }

  /** The counters, with those two that no event tells. */
  read(others: Pick<SegmentCounters, 'idsIssued' | 'notReady'>): SegmentCounters {
    return { ...this.#counts, ...others };
  }

  #count(event: SegmentEvent): void {
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
