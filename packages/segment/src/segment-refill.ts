import { setTimeout as delay } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import { type AdaptiveStep, refillSize } from './adaptive-step.js';
import type { SegmentListener } from './events.js';
import type { RefillFailure } from './health.js';
import type { HeldSegments } from './held-segments.js';
import { reserveAbove } from './reserve-above.js';
import type { Segment } from './segment.js';
import { type ReservedSegment, type SegmentSource, within } from './segment-source.js';

export interface SegmentRefillOptions {
  readonly source: SegmentSource;
  readonly name: string;
  readonly step: AdaptiveStep;
  /**
   * How long callers wait, in milliseconds: the first fetch gets half, so that one lost
   * answer costs nobody his id.
   */
  readonly deadlineMs: number;
  readonly emit: SegmentListener;
  /** Ends everything when it aborts. */
  readonly signal: AbortSignal;
  /** Where segments go. */
  readonly held: HeldSegments;
  /** How many ids more than are held somebody asks for at this moment. */
  readonly missing: () => number;
  /** The source is about to be asked. */
  readonly asking: () => void;
  /** A segment was added to `held`. */
  readonly arrived: (segment: Segment) => void;
  /** More time would not help: whoever waits is to be told. */
  readonly failed: (error: IdError) => void;
}

/**
 * A source that hangs is given up the later the more often it failed, so that a slow
 * one is reached in the end.
 */
const LONGEST_FETCH_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

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

  /** Resolves when no fetch is under way any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Begins to fetch unless that goes on already. */
  start(): void {
    if (this.#running || this.#options.signal.aborted) return;
    this.#running = true;
    this.#ended = this.#loop();
  }

  async #loop(): Promise<void> {
    const { signal, held, missing } = this.#options;
    try {
      // Until all who ask in this turn have asked, so that one fetch serves them.
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
      // In the same turn as the look at `missing`: a call that comes after it starts the next loop.
      this.#running = false;
      // Whatever made the source refuse may be mended, so whoever takes an id from now on has it asked again.
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
    const { source, name, deadlineMs, signal: parent, held, missing, emit: onEvent } = this.#options;
    const size = refillSize(step, Math.max(0, missing()), held, this.#options.step);
    this.#options.asking();
    const timeoutMs = Math.min(LONGEST_FETCH_MS, Math.ceil(deadlineMs / 2) * 2 ** failures);
    const expired = (): IdError =>
      new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${timeoutMs} ms`);
    await within(timeoutMs, parent, expired, async (signal) => {
      const startedAt = performance.now();
      const reserved = await reserveAbove(source, name, size, held.top, { signal, timeoutMs, onEvent });
      // A source that ignores the signal may answer after the time is up: late is no
      // reason to waste a segment.
      const tookMs = performance.now() - startedAt;
      this.#options.step.answered(tookMs);
      this.#accept(reserved, step, tookMs);
    });
  }

  #accept(reserved: ReservedSegment, step: number, tookMs: number): void {
    const segment = { low: reserved.low, high: reserved.high };
    const { held, name, signal, emit, arrived } = this.#options;
    const { top } = held;
    const size = segment.high - segment.low + 1;
    // At the end of the range, or at the bound of what may be lost, segments are smaller than a step.
    const lowWater = size < step ? Math.ceil(size / 2) : this.#options.step.lowWater;
    if (signal.aborted) {
      emit({ type: 'discard', name, segment, reason: 'came after the generator was closed' });
    } else if (!held.append(reserved, lowWater)) {
      // An older segment that was overtaken on its way would make ids go back.
      emit({ type: 'discard', name, segment, reason: `came late: ids up to ${top} were here before` });
    } else {
      this.#failure = undefined;
      emit({ type: 'refill', name, segment, tookMs });
      arrived(segment);
    }
  }

  /** Returns whether to go on by itself. */
  #fail(cause: unknown): boolean {
    const { name, emit, failed } = this.#options;
    const error = isIdError(cause)
      ? cause
      : new IdError('ERR_IDS_UNAVAILABLE', `sequence "${name}": its source failed`, { cause });
    this.#failure = { error, at: new Date() };
    emit({ type: 'refill-failed', name, error });
    if (!error.retryable) failed(error);
    return error.retryable;
  }

  /** Half of the pause is random, so that processes which failed together do not come back together. */
  async #pause(failures: number): Promise<void> {
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    const ms = longestMs * (0.5 + Math.random() / 2);
    await delay(ms, undefined, { ref: false, signal: this.#options.signal }).catch(() => {});
  }
}
