import type { IdError } from '@ids/core';
import type { Failure } from './failure.js';

/** For `health`: requests have been starved for `ms` milliseconds, for the reason `why`; undefined if not. */
export function starvedFailure(ms: number | undefined, why: () => IdError): Failure | undefined {
  return ms === undefined ? undefined : { error: why(), at: new Date(Date.now() - ms) };
}

/** After this many milliseconds without a served request, waiting counts as a failure. */
const TOLERATED_MS = 1_000;
/** A request within this many milliseconds of one that failed continues the wait of that one. */
const BREAK_MS = 1_000;

/**
 * For how long requests have been waiting, one after another or together, without any being served. It shows
 * that no ids arrive, even if no single step reports a failure. Times are readings of `performance.now()`.
 */
export class Starvation {
  #since: number | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** A request starts to wait; `others`: some are waiting already. */
  waits(nowMs: number, others: boolean): void {
    if (!others && nowMs - this.#failedAt > BREAK_MS) this.#since = undefined;
    this.#since ??= nowMs;
  }

  /** A request was served; `others`: some are still waiting. */
  served(nowMs: number, others: boolean): void {
    this.#since = others ? nowMs : undefined;
  }

  /** A request failed, not by its caller's will. */
  failed(nowMs: number): void {
    this.#failedAt = nowMs;
  }

  /** The last waiting request was given up by its caller, or there are ids while nobody waits. */
  reset(): void {
    this.#since = undefined;
  }

  /** Milliseconds, while that is too long; otherwise undefined. `anybody`: some are waiting now. */
  tooLong(nowMs: number, anybody: boolean): number | undefined {
    if (this.#since === undefined) return undefined;
    if (!anybody && nowMs - this.#failedAt > BREAK_MS) return undefined;
    const ms = nowMs - this.#since;
    return ms < TOLERATED_MS ? undefined : ms;
  }
}
