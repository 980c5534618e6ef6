import type { Health, Id } from '@ids/core';
import { HeldFront, healthOf, type LastFailure, starvedFailure, UsageRate, WaitReport } from '@ids/waiting';
import { type AdaptiveStep, assertBatchWithin } from './adaptive-step.js';
import { type EngineOptions, engineParts } from './engine.js';
import type { SegmentCounters } from './events.js';
import { HeldSegments } from './held-segments.js';
import type { Journal } from './journal.js';
import { SegmentSupply, tooSlow } from './segment-supply.js';

export interface SegmentBufferOptions<T extends Id> extends EngineOptions<T> {
  readonly step: AdaptiveStep;
}

/**
 * Issues ids from segments in memory, and fetches the next segment before they run out: one fetch at a time,
 * shared by all callers. Segments are used in increasing order only, so the ids of one buffer increase.
 */
export class SegmentBuffer<T extends Id> extends HeldFront<T> {
  readonly #journal: Journal;
  readonly #usage = new UsageRate(performance.now());
  readonly #failure: LastFailure;
  readonly #held: HeldSegments;

  constructor(options: SegmentBufferOptions<T>) {
    const { name, step, toId } = options;
    const parts = engineParts(options, tooSlow);
    const { emit } = parts;
    const held = new HeldSegments((segment) =>
      emit({ type: 'discard', name, segment, reason: 'its day, month or year is over' }),
    );
    const supply = new SegmentSupply({ ...options, ...parts, held });
    const assertBatch = (count: number): void => assertBatchWithin(count, step.maxIdsLost);
    super({ ...parts, supply, assertBatch, held, toId, waits: new WaitReport(name, emit) });
    this.#journal = parts.journal;
    this.#failure = parts.failure;
    this.#held = held;
  }

  health(): Health {
    if (this.lifecycle.closed) return { status: 'closed', remaining: 0 };
    this.#held.dropExpired();
    const { count: remaining } = this.#held;
    const idsPerSecond = this.#idsPerSecond();
    const health = healthOf({
      remaining,
      secondsLeft: idsPerSecond > 0 ? remaining / idsPerSecond : undefined,
      exhaustedAt: this.#journal.exhaustedAt,
      failure: this.#failure.current ?? starvedFailure(this.demand.calls.starvedMs, tooSlow),
    });
    return { ...health, ...this.#journal.regression };
  }

  /** Totals since the start; also after `close`. */
  counters(): SegmentCounters {
    return { ...this.#journal.counts, idsIssued: this.#held.taken, notReady: this.notReady };
  }

  #idsPerSecond(): number {
    return this.#usage.sample(this.#held.taken, performance.now());
  }
}
