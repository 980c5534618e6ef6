interface Mark {
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
  readonly #marks: [Mark, ...Mark[]];

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
