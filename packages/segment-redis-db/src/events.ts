import type { Counters, IdError } from '@ids/core';
import { EventCounter, type SegmentEvent } from '@ids/segment';

/**
 * `reign`: another server process, or the same before a restart or promotion, wrote it. `missing`: flushed,
 * deleted, expired or evicted. `back`: it would give ids that this process has already.
 */
export type VoidReason = 'reign' | 'missing' | 'back';

/** What happens behind a dispenser, for logs and metrics. */
export type RedisSegmentEvent =
  | SegmentEvent
  /**
   * The state in Redis could not be trusted; a new one begins above it, and the ids left in it are a
   * gap. Told by one process.
   */
  | {
      readonly type: 'void';
      readonly name: string;
      readonly reason: VoidReason;
      /** Ids left unused, as far as the hash still told. */
      readonly dropped: number;
    }
  /** Ids were asked for before their segment was there: they are booked, and their callers wait. */
  | { readonly type: 'debt'; readonly name: string; readonly ids: number }
  /**
   * A call ran out of time, the first one since ids came: `error` is what it was rejected with,
   * and its `cause` says why.
   */
  | { readonly type: 'timeout'; readonly name: string; readonly error: IdError };

export type RedisSegmentListener = (event: RedisSegmentEvent) => void;

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
