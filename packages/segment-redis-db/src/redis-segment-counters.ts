import type { Counters } from '@ids/core';
import { EventCounter } from '@ids/segment';
import type { RedisSegmentEvent } from './redis-segment-event.js';

/**
 * What one process did with a shared dispenser. No call finds ids in memory here, so none is counted
 * as one that had to wait.
 */
export type RedisSegmentCounters = Required<Omit<Counters, 'waits' | 'waitSeconds' | 'notReady'>>;

/** Counts the events of one generator, and the calls that ran out of time. */
export class RedisEventCounter {
  readonly #ofSegments = new EventCounter();
  #stateLosses = 0;
  #timeouts = 0;

  count(event: RedisSegmentEvent): void {
    if (event.type === 'void') this.#stateLosses += 1;
    else if (event.type !== 'debt' && event.type !== 'timeout') this.#ofSegments.count(event);
  }

  /**
   * To be called for each call that runs out of time: the event of that name tells
   * only of the first in a row.
   */
  timedOut(): void {
    this.#timeouts += 1;
  }

  /** What the dispenser does not count itself. */
  read(): Omit<RedisSegmentCounters, 'idsIssued' | 'takes'> {
    const { refills, refillSeconds, refillFailures, regressions, idsDiscarded } = this.#ofSegments.read();
    const ofSegments = { refills, refillSeconds, refillFailures, regressions, idsDiscarded };
    return { ...ofSegments, stateLosses: this.#stateLosses, timeouts: this.#timeouts };
  }
}
