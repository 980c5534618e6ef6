import { LAST_ID, type Segment } from './segment.js';

interface Mark {
  readonly atMs: number;
  readonly low: number;
}

/** Segments looked back on: enough to even out how far each process reserves ahead. */
const REMEMBERED = 32;

/** The last moment that a `Date` can hold, in milliseconds since 1970: the year 275,760. */
const LAST_DATE_MS = 8.64e15;

/** When the range of ids will end, from how fast the segments of all processes together rise. */
export class ExhaustionForecast {
  readonly #marks: Mark[] = [];

  /** Notes a segment that arrived at `nowMs`, a reading of a monotonic clock. */
  note({ low }: Segment, nowMs: number): void {
    this.#marks.push({ atMs: nowMs, low });
    if (this.#marks.length > REMEMBERED) this.#marks.shift();
  }

  /** Undefined before the second segment, and where the end is further away than a `Date` reaches. */
  at(nowMs: number): Date | undefined {
    const last = this.#marks.at(-1);
    if (last === undefined) return undefined;
    const [first = last] = this.#marks;
    // From where segments begin: what the newest one holds is not used yet.
    const idsPerMs = (last.low - first.low) / (nowMs - first.atMs);
    const date = Date.now() + (LAST_ID - last.low) / idsPerMs;
    return date <= LAST_DATE_MS ? new Date(date) : undefined;
  }
}
