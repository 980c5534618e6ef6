import type { Health, IdError } from '@ids/core';
import { LAST_ID, type Segment } from './segment.js';

/** How and when the last refill failed. */
export interface RefillFailure {
  readonly error: IdError;
  readonly at: Date;
}

export interface SegmentState {
  /** Ids that can be issued without asking the source. */
  readonly remaining: number;
  /** The present rate. */
  readonly idsPerSecond: number;
  readonly exhaustedAt: Date | undefined;
  readonly failure: RefillFailure | undefined;
}

/** The health of an open generator that holds segments. */
export function segmentHealth({ remaining, idsPerSecond, exhaustedAt, failure }: SegmentState): Health {
  const [withIds, without] =
    failure === undefined ? (['ok', 'not-ready'] as const) : (['degraded', 'down'] as const);
  return {
    status: remaining > 0 ? withIds : without,
    remaining,
    ...(idsPerSecond > 0 && { secondsLeft: remaining / idsPerSecond }),
    ...(exhaustedAt !== undefined && { exhaustedAt }),
    ...(failure !== undefined && {
      lastError: { code: failure.error.code, message: failure.error.message, at: failure.at },
    }),
  };
}

interface UsageMark {
  readonly atMs: number;
  readonly used: number;
}

/** The rate is that of the last this many milliseconds, if it was read in the meantime. */
const WINDOW_MS = 10_000;
const MARK_EVERY_MS = 1_000;

/**
 * The rate at which ids are used, from readings of a running total, so that issuing an id needs no extra
 * work.
 */
export class UsageRate {
  readonly #marks: [UsageMark, ...UsageMark[]];

  /** `nowMs`, here and in `look`, is a reading of a monotonic clock. */
  constructor(nowMs: number) {
    this.#marks = [{ atMs: nowMs, used: 0 }];
  }

  /**
   * Ids per second up to `nowMs`, if `used` ids had been issued in total: over 10 s, or longer if nobody has
   * looked for longer. 0, which means unknown, in the first second.
   */
  look(used: number, nowMs: number): number {
    this.#forget(nowMs);
    const [since] = this.#marks;
    const last = this.#marks.at(-1) ?? since;
    if (nowMs - last.atMs >= MARK_EVERY_MS) this.#marks.push({ atMs: nowMs, used });
    const overMs = nowMs - since.atMs;
    return overMs < MARK_EVERY_MS ? 0 : ((used - since.used) / overMs) * 1_000;
  }

  #forget(nowMs: number): void {
    for (let [, second] = this.#marks; second !== undefined; [, second] = this.#marks) {
      if (nowMs - second.atMs < WINDOW_MS) return;
      this.#marks.shift();
    }
  }
}

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
