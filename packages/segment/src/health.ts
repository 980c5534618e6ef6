import type { Health, IdError } from '@ids/core';
import { LAST_ID, type Segment } from './segment.js';

/** What became of the last refill, when it failed. */
export interface RefillFailure {
  readonly error: IdError;
  readonly at: Date;
}

export interface SegmentState {
  /** Ids that can be given without asking the source. */
  readonly remaining: number;
  /** Ids used per second at present. */
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

/** The present is this long, in milliseconds, as far as somebody looked in the meantime. */
const WINDOW_MS = 10_000;
const MARK_EVERY_MS = 1_000;

/**
 * How fast ids are used at present, from looks at a running total: nothing is counted and no clock is
 * read when an id is given.
 */
export class UsageRate {
  readonly #marks: [UsageMark, ...UsageMark[]];

  /** `nowMs` and those of `look` are readings of a monotonic clock. */
  constructor(nowMs: number) {
    this.#marks = [{ atMs: nowMs, used: 0 }];
  }

  /**
   * Ids per second up to `nowMs`, when `used` ids had been given in all: over 10 s, longer where nobody
   * looked for longer. 0, for unknown, in the first second.
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

/** Segments looked back on: enough to even out how far each process reserves ahead. */
const REMEMBERED = 32;

/** The last moment that a `Date` can hold, in milliseconds since 1970: the year 275,760. */
const LAST_DATE_MS = 8.64e15;

/** When the range of ids will end, from how fast the segments of all processes together rise. */
export class ExhaustionForecast {
  readonly #marks: SegmentMark[] = [];

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
