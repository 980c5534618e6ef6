import type { Health } from '@ids/core';

/**
 * Milliseconds in which calls get no id and a generator says that all is well: a lie. After a second it must
 * say so; timers may be late, and it is asked every 150 ms.
 */
const NOTICED_MS = 1_300;
/** Whoever calls again so soon after a failure has waited without a break. */
const BREAK_MS = 500;

/**
 * What `health()` says of one generator, held against what became of its calls. Times are
 * milliseconds of the run.
 */
export class HealthWatch {
  /** The first lie. */
  lie: string | undefined;
  #waiting = 0;
  /** Since when callers have waited or failed without a break, and got no id, and nothing was said of it. */
  #since: number | undefined;
  #failedAt = 0;

  /** Whether there is anything to hold against what is said. */
  get waits(): boolean {
    return this.#waiting > 0;
  }

  asked(nowMs: number): void {
    if (this.#waiting === 0 && nowMs - this.#failedAt > BREAK_MS) this.#since = nowMs;
    this.#since ??= nowMs;
    this.#waiting++;
  }

  served(nowMs: number): void {
    this.#waiting--;
    this.#since = this.#waiting > 0 ? nowMs : undefined;
  }

  /** A call ended without ids. Where its caller gave it up, nobody may be left who wants one. */
  failed(nowMs: number, { byCaller }: { readonly byCaller: boolean }): void {
    this.#waiting--;
    this.#failedAt = nowMs;
    if (byCaller && this.#waiting === 0) this.#since = undefined;
  }

  look({ status }: Health, nowMs: number): void {
    if (this.#waiting === 0 || this.#since === undefined) return;
    // What was said once may be said again only as late: a backend that answers in between is
    // well until it fails again.
    if (status === 'degraded' || status === 'down') this.#since = nowMs;
    const ms = nowMs - this.#since;
    if (ms > NOTICED_MS && status !== 'closed') {
      this.lie ??= `says ${status} at ${nowMs.toFixed(0)}, where no id has come for ${ms.toFixed(0)} ms`;
    }
  }
}
