import type { Counters, Health } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import type { Segment } from './segment.js';

/** What happens inside a segment generator, for logs and metrics. */
export type SegmentEvent =
  /** A segment arrived. */
  | { readonly type: 'refill'; readonly name: string; readonly segment: Segment; readonly tookMs: number }
  /** The source could not be reached; the next attempt follows after a pause. */
  | { readonly type: 'refill-failed'; readonly name: string; readonly error: Error }
  /**
   * The source returned a segment at or below `floor`, which was reserved before: it went back, and is
   * raised.
   */
  | {
      readonly type: 'regression';
      readonly name: string;
      readonly floor: number;
      readonly segment: Segment;
    }
  /**
   * The store has another history than at the previous reservation, and detected it by itself. After a
   * `failover`, a former standby serves it; after a `restore`, its rows come from a backup or a copy.
   * `skipped` ids below `segment` are skipped, because the former store may have reserved them. Only the
   * process whose reservation detected it gets this event.
   */
  | {
      readonly type: 'new-reign';
      readonly name: string;
      readonly cause: 'failover' | 'restore';
      readonly skipped: number;
      readonly segment: Segment;
    }
  /** The store can be used, but is not set up to survive what `message` says. Emitted at the start. */
  | { readonly type: 'warning'; readonly name: string; readonly message: string }
  /** A segment was dropped unused, which is a gap in the sequence. */
  | {
      readonly type: 'discard';
      readonly name: string;
      readonly segment: Segment;
      readonly reason: string;
    }
  /**
   * `calls` calls found too few ids and had to wait, the longest for `waitedMs`, until they were served or
   * gave up.
   */
  | { readonly type: 'wait'; readonly name: string; readonly calls: number; readonly waitedMs: number };

/** May be async. If it throws or rejects, that becomes a process warning. */
export type SegmentListener = (event: SegmentEvent) => void;

/** A listener that never throws or rejects: an error of the user's listener becomes a process warning. */
export function guardedListener<Event>(
  listener: ((event: Event) => void) | undefined,
): (event: Event) => void {
  return (event) => {
    try {
      // An async function is assignable to a type that returns void. If its rejection is not handled, the
      // process ends.
      Promise.resolve(listener?.(event)).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}

/** A warning of its own: given an error, `emitWarning` says nothing but that error, and not whose it is. */
function warn(error: unknown): void {
  const thrown = error instanceof Error ? String(error) : shownValue(error);
  const warning = new Error(`thrown by onEvent: ${thrown}`, { cause: error });
  warning.name = 'Warning';
  process.emitWarning(warning);
}

/** The counters of a generator that holds segments in memory. */
export type SegmentCounters = Required<Omit<Counters, 'takes' | 'stateLosses' | 'timeouts'>>;

type EventCounts = Omit<SegmentCounters, 'idsIssued' | 'notReady'>;

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

  /** The totals of all events so far. */
  read(): EventCounts {
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

/** The last event, for `health`, that showed that the source went back or has another history. */
export class LastRegression {
  #seen: Health['lastRegression'];

  note(event: SegmentEvent): void {
    const message = messageOf(event);
    if (message !== undefined) this.#seen = { message, at: new Date() };
  }

  /** For `health()`. */
  get facts(): Pick<Health, 'lastRegression'> {
    return this.#seen === undefined ? {} : { lastRegression: this.#seen };
  }
}

function messageOf(event: SegmentEvent): string | undefined {
  switch (event.type) {
    case 'regression':
      return `the source returned ${event.segment.low}..${event.segment.high}, but ids up to ${event.floor} were reserved before`;
    case 'new-reign':
      return `the source has another history after a ${event.cause}: ${event.skipped} ids below ${event.segment.low} were skipped`;
    default:
      return undefined;
  }
}

/** Reports how long calls had to wait: one event for all whose wait ended in the same turn. */
export class WaitReport {
  readonly #name: string;
  readonly #emit: SegmentListener;
  #calls = 0;
  #longestMs = 0;

  constructor(name: string, emit: SegmentListener) {
    this.#name = name;
    this.#emit = emit;
  }

  /** Settles as `waiting` does. */
  async of<T>(waiting: Promise<T>): Promise<T> {
    const since = performance.now();
    try {
      return await waiting;
    } finally {
      // The calls that are settled in the same turn are before this one in the queue of microtasks.
      if (this.#calls++ === 0) queueMicrotask(() => this.#report());
      this.#longestMs = Math.max(this.#longestMs, performance.now() - since);
    }
  }

  #report(): void {
    const [calls, waitedMs] = [this.#calls, this.#longestMs];
    this.#calls = 0;
    this.#longestMs = 0;
    this.#emit({ type: 'wait', name: this.#name, calls, waitedMs });
  }
}
