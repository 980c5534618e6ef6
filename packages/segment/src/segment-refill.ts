import { setTimeout as delay } from 'node:timers/promises';
import { IdError, isIdError } from '@ids/core';
import type { AdaptiveStep } from './adaptive-step.js';
import { type HeldSegments, NEVER_LOW } from './held-segments.js';
import { reserveAbove } from './reserve-above.js';
import type { SegmentListener } from './segment-event.js';
import type { ReservedSegment, SegmentSource } from './segment-source.js';
import { within } from './within.js';

export interface SegmentRefillOptions {
  readonly source: SegmentSource;
  readonly name: string;
  readonly step: AdaptiveStep;
  /** How long callers wait, in milliseconds: the first fetch gets half, so that one lost answer costs nobody his id. */
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
  readonly arrived: () => void;
  /** More time would not help: whoever waits is to be told. */
  readonly failed: (error: IdError) => void;
}

/** A source that hangs is given up the later the more often it failed, so that a slow one is reached in the end. */
const LONGEST_FETCH_MS = 30_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Fetches segments, one fetch at a time, until enough ids are held. */
export class SegmentRefill {
  readonly #options: SegmentRefillOptions;
  #running = false;
  #ended = Promise.resolve();
  #failure: { readonly error: IdError; readonly at: Date } | undefined;

  constructor(options: SegmentRefillOptions) {
    this.#options = options;
  }

  /** The last failure, until a segment arrives. */
  get failure(): { readonly error: IdError; readonly at: Date } | undefined {
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
    const { signal, held, missing, step } = this.#options;
    try {
      // Until all who ask in this turn have asked, so that one fetch serves them.
      await undefined;
      let size = 0;
      for (let failures = 0; !signal.aborted && (held.low || missing() > 0); ) {
        if (size === 0) size = step.next(performance.now(), missing());
        try {
          await this.#fetch(size, failures);
          size = 0;
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
    }
  }

  async #fetch(size: number, failures: number): Promise<void> {
    const { source, name, deadlineMs, signal: parent, held, emit: onEvent } = this.#options;
    const timeoutMs = Math.min(LONGEST_FETCH_MS, Math.ceil(deadlineMs / 2) * 2 ** failures);
    const expired = (): IdError =>
      new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${timeoutMs} ms`);
    await within(timeoutMs, parent, expired, async (signal) => {
      const startedAt = performance.now();
      this.#options.asking();
      const segment = await reserveAbove(source, name, size, held.top, { signal, onEvent });
      // A source that ignores the signal may answer after the time is up: late is no reason to waste a segment.
      this.#accept(segment, performance.now() - startedAt);
    });
  }

  #accept(reserved: ReservedSegment, tookMs: number): void {
    const segment = { low: reserved.low, high: reserved.high };
    const { held, name, step, signal, emit, arrived } = this.#options;
    const { top } = held;
    const lowWater = step.onDemand ? NEVER_LOW : Math.ceil((segment.high - segment.low + 1) / 2);
    if (signal.aborted) {
      emit({ type: 'discard', name, segment, reason: 'came after the generator was closed' });
    } else if (!held.append(reserved, lowWater)) {
      // An older segment that was overtaken on its way would make ids go back.
      emit({ type: 'discard', name, segment, reason: `came late: ids up to ${top} were here before` });
    } else {
      this.#failure = undefined;
      emit({ type: 'refill', name, segment, tookMs });
      arrived();
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
