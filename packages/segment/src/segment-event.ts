import { shownValue } from '@ids/core/strategy';
import type { Segment } from './segment.js';

/** What happens behind a segment generator, for logs and metrics. */
export type SegmentEvent =
  /** A segment arrived. */
  | { readonly type: 'refill'; readonly name: string; readonly segment: Segment; readonly tookMs: number }
  /** The source could not be asked; the next attempt follows after a pause. */
  | { readonly type: 'refill-failed'; readonly name: string; readonly error: Error }
  /**
   * The source gave a segment at or below `floor`, which it had reserved before: it went
   * back, and is being raised.
   */
  | {
      readonly type: 'regression';
      readonly name: string;
      readonly floor: number;
      readonly segment: Segment;
    }
  /**
   * The store has another history than at the reservation before, which it noticed by itself: after a
   * `failover` a standby serves it, after a `restore` its rows come from a backup or a copy. `skipped` ids
   * below `segment` are left out, since the former store may have reserved them. Seen by the one process
   * whose reservation noticed it.
   */
  | {
      readonly type: 'new-reign';
      readonly name: string;
      readonly cause: 'failover' | 'restore';
      readonly skipped: number;
      readonly segment: Segment;
    }
  /** The store was found fit at the start, but is not set up to survive what `message` says. */
  | { readonly type: 'warning'; readonly name: string; readonly message: string }
  /** A segment was thrown away unused: a gap in the sequence. */
  | {
      readonly type: 'discard';
      readonly name: string;
      readonly segment: Segment;
      readonly reason: string;
    }
  /**
   * `calls` callers found too few ids and had to wait, the longest of them `waitedMs` milliseconds, until
   * they were served or gave up.
   */
  | { readonly type: 'wait'; readonly name: string; readonly calls: number; readonly waitedMs: number };

/** May be async: what it throws, or rejects with, becomes a process warning. */
export type SegmentListener = (event: SegmentEvent) => void;

/**
 * A listener that never throws and never rejects: an error of the user's listener becomes a process warning.
 */
export function guardedListener<Event>(
  listener: ((event: Event) => void) | undefined,
): (event: Event) => void {
  return (event) => {
    try {
      // An async function is assignable to a type that returns void. Its rejection, if
      // unhandled, ends the process.
      Promise.resolve(listener?.(event)).catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}

function warn(error: unknown): void {
  const warning = error instanceof Error ? error : shownValue(error);
  process.emitWarning(warning, { detail: 'thrown by onEvent' });
}
