import type { Health, Id } from '@ids/core';
import { healthOf, type LastFailure, starvedFailure, WaitingFront } from '@ids/waiting';
import { assertBatchWithin } from './adaptive-step.js';
import { notAnswered, type SegmentBurstOptions, SegmentBurstSupply } from './burst-supply.js';
import { type EngineOptions, engineParts } from './engine.js';
import type { SegmentCounters } from './events.js';
import type { Journal } from './journal.js';

export type BurstDispenserOptions<T> = EngineOptions<T> &
  Pick<SegmentBurstOptions, 'maxBurst' | 'maxIdsLost'>;

/**
 * Issues ids that were reserved after they were requested. All calls that wait when a reservation is sent
 * share it, and nobody else gets its ids; what its callers no longer want is dropped, which is a gap. So the
 * ids of all processes are in real-time order: if A was returned before B was requested, A's reservation was
 * made before B's was sent, and the source's reservations increase.
 */
export class BurstDispenser<T extends Id> extends WaitingFront<T> {
  readonly #journal: Journal;
  readonly #failure: LastFailure;
  readonly #supply: SegmentBurstSupply;

  constructor(options: BurstDispenserOptions<T>) {
    const { maxIdsLost } = options;
    const parts = engineParts(options, notAnswered);
    const supply = new SegmentBurstSupply({ ...options, ...parts });
    super({ ...parts, supply, assertBatch: (count) => assertBatchWithin(count, maxIdsLost) });
    this.#journal = parts.journal;
    this.#failure = parts.failure;
    this.#supply = supply;
  }

  /** `ok` if the source answered last time, although each call has to ask it. */
  health(): Health {
    if (this.lifecycle.closed) return { status: 'closed', remaining: 0 };
    const { calls } = this.demand;
    const health = healthOf({
      remaining: 0,
      exhaustedAt: this.#journal.exhaustedAt,
      failure: this.#failure.current ?? starvedFailure(calls.starvedMs, notAnswered),
    });
    const status = health.status === 'not-ready' && this.#supply.answered ? 'ok' : health.status;
    return { ...health, status, ...this.#journal.regression };
  }

  /** Totals since the start; also after `close`. Each call waits for a reservation: that is no `waits`. */
  counters(): SegmentCounters {
    const { idsDiscarded, ...counts } = this.#journal.counts;
    const { issued, lost } = this.demand.calls;
    return { ...counts, idsIssued: issued, idsDiscarded: idsDiscarded + lost, notReady: 0 };
  }
}
