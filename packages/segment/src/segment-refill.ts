import { setTimeout as delay } from 'node:timers/promises';
import type { IdError } from '@ids/core';
import { type AdaptiveStep, refillSize } from './adaptive-step.js';
import type { SegmentListener } from './events.js';
import type { RefillFailure } from './health.js';
import type { HeldSegments } from './held-segments.js';
import type { KnownReigns } from './known-reigns.js';
import { attemptRefill, backOffMs, refillFailure } from './reserve-above.js';
import type { ExpiringSegment, Segment } from './segment.js';
import type { SegmentSource } from './segment-source.js';

export interface SegmentRefillOptions {
  readonly source: SegmentSource;
  readonly name: string;
  readonly step: AdaptiveStep;
  readonly known: KnownReigns;
  /**
   * How long callers wait, in milliseconds. The first fetch gets half of it, so that one lost answer does not
   * make any caller time out.
   */
  readonly deadlineMs: number;
  readonly emit: SegmentListener;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
  /** Where segments go. */
  readonly held: HeldSegments;
  /** How many more ids are requested at this moment than are held. */
  readonly missing: () => number;
  /** Called right before the source is asked. */
  readonly asking: () => void;
  /** Called when a segment was added to `held`. */
  readonly arrived: (segment: Segment) => void;
  /** Called when more time would not help, so that those who wait can be rejected. */
  readonly failed: (error: IdError) => void;
}

/**
 * The longest time limit of a fetch. The limit grows with each failure, so that even a slow source can answer
 * in the end.
 */
const LONGEST_FETCH_MS = 30_000;
const PAUSE_MS = { first: 50, last: 1_000 };

/** Fetches segments, one fetch at a time, until enough ids are held. */
export class SegmentRefill {
  readonly #options: SegmentRefillOptions;
  #running = false;
  #ended = Promise.resolve();
  #failure: RefillFailure | undefined;
  #takenBefore = 0;

  constructor(options: SegmentRefillOptions) {
    this.#options = options;
  }

  /** The last failure, until a segment arrives. */
  get failure(): RefillFailure | undefined {
    return this.#failure;
  }

  /** Resolves when no fetch is in progress any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Starts fetching, unless it is in progress already. */
  start(): void {
    if (this.#running || this.#options.signal.aborted) return;
    this.#running = true;
    this.#ended = this.#loop();
  }

  async #loop(): Promise<void> {
    const { signal, held, missing } = this.#options;
    try {
      // Waits until every call of this turn has been made, so that one fetch serves them all.
      await undefined;
      let step = 0;
      for (let failures = 0; !signal.aborted && (held.low || missing() > 0); ) {
        // Not again after a failure: attempts in quick succession are no sign of demand.
        if (failures === 0) step = this.#nextStep();
        try {
          await this.#fetch(step, failures);
          failures = 0;
        } catch (error) {
          if (signal.aborted) return;
          const retryable = this.#fail(error);
          await this.#pause(failures++);
          if (!retryable && missing() <= 0) return;
        }
      }
    } finally {
      // In the same turn as the check of `missing`: a call that comes after it starts the next loop.
      this.#running = false;
      // The reason may be gone by now, so the next call that takes an id makes the source be asked again.
      if (this.#failure !== undefined) held.lookAtNext();
    }
  }

  #nextStep(): number {
    const { held, step } = this.#options;
    const used = held.taken - this.#takenBefore;
    this.#takenBefore = held.taken;
    return step.next(performance.now(), used);
  }

  async #fetch(step: number, failures: number): Promise<void> {
    const { source, name, known, deadlineMs, signal, held, missing, emit: onEvent } = this.#options;
    const size = refillSize(step, Math.max(0, missing()), held, this.#options.step);
    this.#options.asking();
    const timeoutMs = Math.min(LONGEST_FETCH_MS, Math.ceil(deadlineMs / 2) * 2 ** failures);
    const startedAt = performance.now();
    const attempt = { source, name, size, floor: held.top, known, timeoutMs, signal, onEvent };
    // Also for a segment that arrives after the time limit: it need not be wasted.
    await attemptRefill(attempt, (segment) => {
      const tookMs = performance.now() - startedAt;
      this.#options.step.answered(tookMs);
      this.#accept(segment, step, tookMs);
    });
  }

  #accept(reserved: ExpiringSegment, step: number, tookMs: number): void {
    const segment = { low: reserved.low, high: reserved.high };
    const { held, name, signal, emit, arrived } = this.#options;
    const { top } = held;
    const size = segment.high - segment.low + 1;
    // At the end of the range, or at the limit of `maxIdsLost`, segments are smaller than a step.
    const lowWater = size < step ? Math.ceil(size / 2) : this.#options.step.lowWater;
    if (signal.aborted) {
      emit({ type: 'discard', name, segment, reason: 'came after the generator was closed' });
    } else if (!held.append(reserved, lowWater)) {
      // An older segment that was overtaken on its way would make ids decrease.
      emit({ type: 'discard', name, segment, reason: `came late: ids up to ${top} were here before` });
    } else {
      this.#failure = undefined;
      emit({ type: 'refill', name, segment, tookMs });
      arrived(segment);
    }
  }

  /** Returns whether to retry without being asked. */
  #fail(cause: unknown): boolean {
    const { name, emit, failed } = this.#options;
    this.#failure = refillFailure(name, cause);
    const { error } = this.#failure;
    emit({ type: 'refill-failed', name, error });
    if (!error.retryable) failed(error);
    return error.retryable;
  }

  async #pause(failures: number): Promise<void> {
    const { signal } = this.#options;
    await delay(backOffMs(failures, PAUSE_MS), undefined, { ref: false, signal }).catch(() => {});
  }
}
