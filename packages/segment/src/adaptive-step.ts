import type { HeldSegments } from './held-segments.js';
import { MAX_STEP } from './segment.js';

export interface AdaptiveStepOptions {
  /** The least ids to reserve at once, a whole number from 1 to 10^9. Equal to `maxStep`: a fixed step. */
  readonly minStep: number;
  /** The most ids to reserve ahead at once, a whole number from `minStep` to 10^9. */
  readonly maxStep: number;
  /**
   * The most ids that may be reserved and not given at any moment, at least one and a half of `minStep`: what
   * a crash burns. Bounds the step to two thirds of it. No bound by default.
   */
  readonly maxIdsLost?: number | undefined;
  /**
   * How long a segment should last, in milliseconds: at least that and at most twice
   * that. Default 10 minutes.
   */
  readonly targetMs?: number;
}

/** A low-water mark that is never reached: nothing is fetched before somebody asks for more than is here. */
const NEVER = -1;

/** A segment lasts at least so many times as long as its source takes to answer. */
const LATENCIES_PER_STEP = 10;

/**
 * How many ids to reserve next. Twice as many when the last reservation was used up too soon, half as
 * many when it lasted too long: the rule of Meituan's Leaf. And never less than what is used up in ten
 * times the source's latency at the measured rate, so that demand which sets in at once is met after one
 * refill instead of after ten.
 */
export class AdaptiveStep {
  /** The most ids that may be reserved and not given at any moment; `Infinity` when there is no bound. */
  readonly maxIdsLost: number;
  readonly #minStep: number;
  readonly #maxStep: number;
  readonly #targetMs: number;
  readonly #latency = new LatencyWindow();
  #step: number;
  #idsPerMs = 0;
  #startedAt: number | undefined;

  /**
   * Throws a `RangeError` unless 1 <= minStep <= maxStep <= 10^9 and maxIdsLost >= 1.5
   * minStep, in whole numbers.
   */
  constructor({ minStep, maxStep, maxIdsLost, targetMs = 600_000 }: AdaptiveStepOptions) {
    const whole = Number.isInteger(minStep) && Number.isInteger(maxStep);
    if (!whole || minStep < 1 || maxStep < minStep || maxStep > MAX_STEP) {
      throw new RangeError(
        `minStep and maxStep must be whole numbers with 1 <= minStep <= maxStep <= ${MAX_STEP}, got ${minStep} and ${maxStep}`,
      );
    }
    this.maxIdsLost = maxIdsLost ?? Number.POSITIVE_INFINITY;
    const largest = largestStepWithin(this.maxIdsLost);
    if (!(minStep <= largest)) {
      throw new RangeError(
        `maxIdsLost must be at least 1.5 times minStep, got ${maxIdsLost} with ${minStep}`,
      );
    }
    this.#minStep = minStep;
    this.#maxStep = Math.min(maxStep, largest);
    this.#targetMs = targetMs;
    this.#step = minStep;
  }

  /**
   * Whether ids are reserved one by one, or as many as are asked for together: then none is fetched ahead.
   */
  get onDemand(): boolean {
    return this.#maxStep === 1;
  }

  /**
   * The size of the reservation that starts at `nowMs`, a reading of a monotonic clock; `used` ids
   * were given since the last one, by default as many as that one reserved. Call it once per
   * refill, not once per attempt.
   */
  next(nowMs: number, used = this.#step): number {
    if (this.#startedAt !== undefined) this.#adapt(nowMs - this.#startedAt, used);
    this.#startedAt = nowMs;
    return this.#step;
  }

  /** Tells how long the source took to answer, in milliseconds. */
  answered(tookMs: number): void {
    this.#latency.add(tookMs);
  }

  /**
   * The next refill is due when no more ids than this are left: half a step, rounded up. Never, where ids are
   * reserved one by one. More, up to two steps, where the step cannot grow and what is used up
   * during a refill asks for it.
   */
  get lowWater(): number {
    if (this.onDemand) return NEVER;
    const half = Math.ceil(this.#step / 2);
    const hungry = Math.ceil(Math.min(2 * this.#step, 2 * this.#idsPerMs * this.#latency.p99));
    return Math.min(Math.max(half, hungry), this.maxIdsLost - this.#step);
  }

  #adapt(lastedMs: number, used: number): void {
    // The clock ticks in microseconds: two refills within one tick are no infinite rate.
    this.#idsPerMs = used / Math.max(lastedMs, 0.001);
    let step = this.#step;
    if (lastedMs < this.#targetMs) step *= 2;
    else if (lastedMs > 2 * this.#targetMs) step = Math.floor(step / 2);
    const least = Math.ceil(LATENCIES_PER_STEP * this.#idsPerMs * this.#latency.p99);
    this.#step = Math.min(this.#maxStep, Math.max(this.#minStep, step, least));
  }
}

/** How many answers are remembered: of a hundred, the slowest but one is the 99th percentile. */
const REMEMBERED = 100;

/** How long the last hundred answers of a source took. */
class LatencyWindow {
  readonly #tookMs: number[] = [];
  #oldest = 0;

  /** Remembers one answer, in place of the oldest when there are a hundred. */
  add(tookMs: number): void {
    this.#tookMs[this.#oldest] = tookMs;
    this.#oldest = (this.#oldest + 1) % REMEMBERED;
  }

  /**
   * The 99th percentile by nearest rank, in milliseconds: of fewer than a hundred answers the
   * slowest. 0 before the first.
   */
  get p99(): number {
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  }
}

/**
 * The largest step with which at most `maxIdsLost` ids are reserved and not given at any moment: a
 * reservation in flight, and the half of the one before that is left when it is sent, rounded up.
 */
export function largestStepWithin(maxIdsLost: number): number {
  return Math.floor((maxIdsLost / 3) * 2);
}

/**
 * How many ids to reserve now that `missing` more than are held are asked for: a step, and what is
 * missing on top of it where the rest of a step would be so little that the next refill were due at once.
 * Never so many that more than `maxIdsLost` are reserved and not given; and no more than asked for where
 * nothing is fetched ahead.
 */
export function refillSize(step: number, missing: number, held: HeldSegments, bounds: AdaptiveStep): number {
  if (bounds.onDemand) return Math.min(MAX_STEP, Math.max(step, missing));
  const restsOnStep = step - missing > bounds.lowWater;
  const wanted = restsOnStep ? step : step + missing;
  return Math.min(MAX_STEP, wanted, bounds.maxIdsLost - held.count);
}
