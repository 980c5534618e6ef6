import type { Counters } from '@ids/core';
import type { ReignChange, Skipped } from '@ids/store';
import type { WaitEvent } from '@ids/waiting';
import type { Segment } from './segment.js';

/** What happens inside a segment generator, for logs and metrics. */
export type SegmentEvent = WaitEvent | (SequenceEvent & { readonly name: string });

type SequenceEvent =
  /** A segment arrived. */
  | { readonly type: 'refill'; readonly segment: Segment; readonly tookMs: number }
  /** The source could not be reached; the next attempt follows after a pause. */
  | { readonly type: 'refill-failed'; readonly error: Error }
  /**
   * The source returned a segment at or below `floor`, which was reserved before: it went back, and is
   * raised.
   */
  | { readonly type: 'regression'; readonly floor: number; readonly segment: Segment }
  /**
   * The store has another history than at the previous reservation, and detected it by itself. After a
   * `failover`, a former standby serves it; after a `restore`, its rows come from a backup or a copy.
   * `skipped` ids below `segment` are skipped, because the former store may have reserved them. Only the
   * process whose reservation detected it gets this event.
   */
  | (Skipped & { readonly type: 'new-reign'; readonly cause: ReignChange; readonly segment: Segment })
  | Omit<ReinstatedEvent, 'name'>
  /** The store can be used, but is not set up to survive what `message` says. Emitted at the start. */
  | { readonly type: 'warning'; readonly message: string }
  /** A segment was dropped unused, which is a gap in the sequence. */
  | { readonly type: 'discard'; readonly segment: Segment; readonly reason: string };

/**
 * A former primary was refused for so long, while nobody met its successor, that it counts as the primary
 * again. Its row was raised above what is known of the reigns in `follows`, and `skipped` ids above that, up
 * to `maxId`. Only the process that did it gets this event.
 */
export interface ReinstatedEvent {
  readonly type: 'reinstated';
  readonly name: string;
  /** The reign that has begun there. */
  readonly reign: string;
  readonly follows: readonly string[];
  readonly maxId: number;
  readonly skipped: number;
}

/** May be async. If it throws or rejects, that becomes a process warning. */
export type SegmentListener = (event: SegmentEvent) => void;

/** The counters of a generator that holds segments in memory. */
export type SegmentCounters = Required<Omit<Counters, 'takes' | 'stateLosses' | 'timeouts' | 'newKeys'>>;
