import { MAX_STEP } from './segment-size.js';

export interface AdaptiveStepOptions {
  /** The least ids to reserve at once, a whole number from 1 to 10^9. Equal to `maxStep`: a fixed step. */
  readonly minStep: number;
  /** The most ids to reserve at once unless more are asked for, a whole number from `minStep` to 10^9. */
  readonly maxStep: number;
  /** How long a segment should last, in milliseconds: at least that and at most twice that. Default 10 minutes. */
  readonly targetMs?: number;
}

/**
 * How many ids to reserve next, from how long the last reservation lasted: twice as many when it was used up too soon, half
 * as many when it lasted too long. The rule of Meituan's Leaf, with a floor and a ceiling.
 */
export class AdaptiveStep {
  readonly #minStep: number;
  readonly #maxStep: number;
  readonly #targetMs: number;
  #step: number;
  #startedAt: number | undefined;

  /** Throws a `RangeError` unless 1 <= minStep <= maxStep <= 10^9, in whole numbers. */
  constructor({ minStep, maxStep, targetMs = 600_000 }: AdaptiveStepOptions) {
    const whole = Number.isInteger(minStep) && Number.isInteger(maxStep);
    if (!whole || minStep < 1 || maxStep < minStep || maxStep > MAX_STEP) {
      throw new RangeError(
        `minStep and maxStep must be whole numbers with 1 <= minStep <= maxStep <= ${MAX_STEP}, got ${minStep} and ${maxStep}`,
      );
    }
    this.#minStep = minStep;
    this.#maxStep = maxStep;
    this.#targetMs = targetMs;
    this.#step = minStep;
  }

  /** Whether ids are reserved one by one, or as many as are asked for together: then none is fetched ahead. */
  get onDemand(): boolean {
    return this.#maxStep === 1;
  }

  /**
   * The size of the reservation that starts at `nowMs`, a reading of a monotonic clock. Never below `atLeast`, which may
   * lie above `maxStep`: a batch is reserved at once. Call it once per refill, not once per attempt.
   */
  next(nowMs: number, atLeast = 0): number {
    if (this.#startedAt !== undefined) {
      const lastedMs = nowMs - this.#startedAt;
      if (lastedMs < this.#targetMs) this.#step = Math.min(this.#maxStep, this.#step * 2);
      else if (lastedMs > 2 * this.#targetMs)
        this.#step = Math.max(this.#minStep, Math.floor(this.#step / 2));
    }
    this.#startedAt = nowMs;
    return Math.min(MAX_STEP, Math.max(this.#step, atLeast));
  }
}
