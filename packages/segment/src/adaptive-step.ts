import { assertBatchCount } from '@ids/core/strategy';
import type { HeldSegments } from './held-segments.js';
import { MAX_STEP } from './segment.js';

export interface AdaptiveStepOptions {
  /** The fewest ids to reserve at once, a whole number from 1 to 10^9. Equal to `maxStep`: a fixed step. */
  readonly minStep: number;
  /** The most ids to reserve ahead at once, a whole number from `minStep` to 10^9. */
  readonly maxStep: number;
  /**
   * The most ids that may be reserved but not issued at any moment, which a crash loses. At least one and a
   * half times `minStep`; the step is at most two thirds of it. No limit by default.
   */
  readonly maxIdsLost?: number | undefined;
  /** How long a segment should last, in milliseconds: once to twice this time. Default 10 minutes. */
  readonly targetMs?: number;
}

/** A low-water mark that is never reached: nothing is fetched before a call needs more ids than are held. */
const NEVER = -1;

/** A segment lasts at least this many times as long as its source takes to answer. */
const LATENCIES_PER_STEP = 10;

/**
 * How many ids to reserve next: twice as many if the last reservation was used up too soon, half as many if
 * it lasted too long. That is the rule of Meituan's Leaf. In addition, never fewer than are used during ten
 * times the latency of the source at the measured rate, so that a sudden demand is met after one refill, not
 * ten.
 */
export class AdaptiveStep {
  /** The most ids that may be reserved but not issued at any moment; `Infinity`: no limit. */
  readonly maxIdsLost: number;
  readonly #minStep: number;
  readonly #maxStep: number;
  readonly #targetMs: number;
  readonly #latency = new LatencyWindow();
  #step: number;
  #idsPerMs = 0;
  #startedAt: number | undefined;

  /**
   * Throws a `RangeError` unless 1 <= minStep <= maxStep <= 10^9 and 1.5 minStep <= maxIdsLost, all whole
   * numbers.
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

  /** Whether only requested ids are reserved, so that none is fetched in advance. */
  get onDemand(): boolean {
    return this.#maxStep === 1;
  }

  /**
   * The size of the reservation that starts at `nowMs`, a reading of a monotonic clock. `used` ids were
   * issued since the last one; by default, as many as that one reserved. Call it once per refill, not per
   * attempt.
   */
  next(nowMs: number, used = this.#step): number {
    if (this.#startedAt !== undefined) this.#adapt(nowMs - this.#startedAt, used);
    this.#startedAt = nowMs;
    return this.#step;
  }

  /** Call it with the time that the source took to answer, in milliseconds. */
  answered(tookMs: number): void {
    this.#latency.add(tookMs);
  }

  /**
   * The next refill is due when no more ids than this are left: half a step, rounded up. Never if ids are
   * reserved on demand. Up to two steps if the step cannot grow and that many are used during a refill.
   */
  get lowWater(): number {
    if (this.onDemand) return NEVER;
    const half = Math.ceil(this.#step / 2);
    const hungry = Math.ceil(Math.min(2 * this.#step, 2 * this.#idsPerMs * this.#latency.p99));
    return Math.min(Math.max(half, hungry), this.maxIdsLost - this.#step);
  }

  #adapt(lastedMs: number, used: number): void {
    // The resolution of the clock is a microsecond: two refills within one are no infinite rate.
    this.#idsPerMs = used / Math.max(lastedMs, 0.001);
    let step = this.#step;
    if (lastedMs < this.#targetMs) step *= 2;
    else if (lastedMs > 2 * this.#targetMs) step = Math.floor(step / 2);
    const least = Math.ceil(LATENCIES_PER_STEP * this.#idsPerMs * this.#latency.p99);
    this.#step = Math.min(this.#maxStep, Math.max(this.#minStep, step, least));
  }
}

/** How many latencies are kept: of a hundred, the second slowest is the 99th percentile. */
const REMEMBERED = 100;

/** The latencies of the last hundred answers of a source. */
class LatencyWindow {
  readonly #tookMs: number[] = [];
  #oldest = 0;

  /** Adds one; it replaces the oldest if there are a hundred. */
  add(tookMs: number): void {
    this.#tookMs[this.#oldest] = tookMs;
    this.#oldest = (this.#oldest + 1) % REMEMBERED;
  }

  /**
   * The 99th percentile by nearest rank, in milliseconds: of fewer than a hundred, the slowest. 0 before the
   * first.
   */
  get p99(): number {
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  }
}

/** Throws a `RangeError` unless `count` is that of a batch and at most `maxIdsLost`; no bound by default. */
export function assertBatchWithin(count: number, maxIdsLost = Number.POSITIVE_INFINITY): void {
  assertBatchCount(count);
  if (count <= maxIdsLost) return;
  throw new RangeError(
    `count must be at most maxIdsLost, ${maxIdsLost}, because a batch is held in memory before it is returned; got ${count}`,
  );
}

/**
 * The largest step with which at most `maxIdsLost` ids are reserved but not issued at any moment: one
 * reservation in flight, and the half of the previous one, rounded up, that is left when it is sent.
 */
export function largestStepWithin(maxIdsLost: number): number {
  return Math.floor((maxIdsLost / 3) * 2);
}

/**
 * How many ids to reserve if `missing` more are requested than are held: a step, plus the missing ids if the
 * rest of the step would be so small that the next refill were due at once. Never so many that more than
 * `maxIdsLost` are reserved but not issued; and only the requested ones if none is fetched in advance.
 */
export function refillSize(step: number, missing: number, held: HeldSegments, bounds: AdaptiveStep): number {
  if (bounds.onDemand) return Math.min(MAX_STEP, Math.max(step, missing));
  const restsOnStep = step - missing > bounds.lowWater;
  const wanted = restsOnStep ? step : step + missing;
  return Math.min(MAX_STEP, wanted, bounds.maxIdsLost - held.count);
}
