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

  /** `nowMs`, here and in `sample`, is a reading of a monotonic clock. */
  constructor(nowMs: number) {
    this.#marks = [{ atMs: nowMs, used: 0 }];
  }

  /**
   * Ids per second up to `nowMs`, if `used` ids had been issued in total: over the last 10 s, or since the
   * last reading if that was earlier. 0, which means unknown, in the first second.
   */
  sample(used: number, nowMs: number): number {
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
