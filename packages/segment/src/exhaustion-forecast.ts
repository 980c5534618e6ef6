import { LAST_ID, type Segment } from './segment.js';

interface SegmentMark {
  readonly atMs: number;
  readonly low: number;
}

/** How many segments are kept: enough to average out how far in advance each process reserves. */
const REMEMBERED = 32;

/** The last moment that a `Date` can represent, in milliseconds since 1970: the year 275,760. */
const LAST_DATE_MS = 8.64e15;

/** When the range of ids will end, from how fast the segments of all processes together increase. */
export class ExhaustionForecast {
  readonly #marks: SegmentMark[] = [];

  /** Notes a segment that arrived at `nowMs`, a reading of a monotonic clock. */
  note({ low }: Segment, nowMs: number): void {
    this.#marks.push({ atMs: nowMs, low });
    if (this.#marks.length > REMEMBERED) this.#marks.shift();
  }

  /** Undefined before the second segment, and if the end is later than a `Date` can represent. */
  at(nowMs: number): Date | undefined {
    const last = this.#marks.at(-1);
    if (last === undefined) return undefined;
    const [first = last] = this.#marks;
    // From the starts of segments: the ids of the newest one are not used yet.
    const idsPerMs = (last.low - first.low) / (nowMs - first.atMs);
    const date = Date.now() + (LAST_ID - last.low) / idsPerMs;
    return date <= LAST_DATE_MS ? new Date(date) : undefined;
  }
}
