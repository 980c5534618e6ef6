import type { Segment } from './segment.js';

/** What happens behind a segment generator, for logs and metrics. */
export type SegmentEvent =
  /** A segment arrived. */
  | { readonly type: 'refill'; readonly name: string; readonly segment: Segment; readonly tookMs: number }
  /** The source could not be asked; the next attempt follows after a pause. */
  | { readonly type: 'refill-failed'; readonly name: string; readonly error: Error }
  /** The source gave a segment at or below `floor`, which it had reserved before: it went back, and is being raised. */
  | {
      readonly type: 'regression';
      readonly name: string;
      readonly floor: number;
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
  /** `calls` callers found too few ids and had to wait, the longest of them `waitedMs` milliseconds, until they were served or gave up. */
  | { readonly type: 'wait'; readonly name: string; readonly calls: number; readonly waitedMs: number };

export type SegmentListener = (event: SegmentEvent) => void;

/** A listener that cannot disturb whoever calls it: what the user's listener throws becomes a process warning. */
export function guardedListener<Event>(
  listener: ((event: Event) => void) | undefined,
): (event: Event) => void {
  return (event) => {
    try {
      listener?.(event);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error), { detail: 'thrown by onEvent' });
    }
  };
}
