/** Milliseconds without a served request after which waiting is a failure. */
const TOLERATED_MS = 1_000;
/** A request that comes so many milliseconds after one that ran out of time goes on waiting in its place. */
const BREAK_MS = 1_000;

/**
 * For how long requests have waited, one after the other or together, without one of them being served:
 * whatever each step on the way says of itself, ids do not come. Times are readings of `performance.now()`.
 */
export class Starvation {
  #since: number | undefined;
  #expiredAt = Number.NEGATIVE_INFINITY;

  /** A request begins to wait; `others` do already. */
  waits(nowMs: number, others: boolean): void {
    if (!others && nowMs - this.#expiredAt > BREAK_MS) this.#since = undefined;
    this.#since ??= nowMs;
  }

  /** A request was served; `others` wait. */
  served(nowMs: number, others: boolean): void {
    this.#since = others ? nowMs : undefined;
  }

  /** A request ran out of time. */
  expired(nowMs: number): void {
    this.#expiredAt = nowMs;
  }

  /** The last request that waited was given up by its caller. */
  abandoned(): void {
    this.#since = undefined;
  }

  /** Milliseconds, while that is too long; undefined otherwise. `anybody` waits now. */
  tooLong(nowMs: number, anybody: boolean): number | undefined {
    if (this.#since === undefined) return undefined;
    if (!anybody && nowMs - this.#expiredAt > BREAK_MS) return undefined;
    const ms = nowMs - this.#since;
    return ms < TOLERATED_MS ? undefined : ms;
  }
}
