import { IdError } from '@ids/core';
import { attemptMs, BurstSupply, withTimeout } from '@ids/waiting';
import type { SupplyOptions } from './engine.js';
import { meet } from './reinstate.js';
import { attemptRefill, refillError } from './reserve-above.js';
import type { Segment } from './segment.js';
import { sourceTooSlow } from './segment-source.js';

export interface SegmentBurstOptions extends SupplyOptions {
  /** The most ids that one reservation takes: a larger burst needs several. */
  readonly maxBurst: number;
  /** The most ids that are in flight or held for a batch that waits for others; no bound by default. */
  readonly maxIdsLost?: number | undefined;
}

/** Reserves ids for the calls that wait, one reservation at a time, and gives them to these calls only. */
export class SegmentBurstSupply extends BurstSupply {
  readonly #options: SegmentBurstOptions;
  /** The greatest id that was reserved for this process. */
  #top = 0;

  constructor(options: SegmentBurstOptions) {
    super(options);
    this.#options = options;
  }

  override async stop(): Promise<void> {
    await super.stop();
    const { source, closeSource = false } = this.#options;
    if (closeSource) await source.close();
  }

  /**
   * Reserves ids for the calls that wait now. An answer that never comes costs its ids, and the next attempt
   * reserves others: of two reservations for the same calls, the later one has greater ids, and the earlier
   * one is dropped if it arrives after it.
   */
  protected override async take(failures: number): Promise<void> {
    const { source, name, maxBurst, maxIdsLost = Number.POSITIVE_INFINITY, deadlineMs } = this.#options;
    const { signal, emit: onEvent, demand, known } = this.#options;
    const { calls } = demand;
    const arrivedBy = calls.arrivals;
    // At least 1: a batch that holds ids wants more, and has at most maxIdsLost in the end.
    const size = Math.min(calls.wanted, maxBurst, maxIdsLost - calls.held);
    const timeoutMs = attemptMs(deadlineMs, failures);
    const startedAt = performance.now();
    const attempt = { source, name, size, floor: this.#top, known, timeoutMs, signal, onEvent };
    await attemptRefill(attempt, (segment) => {
      this.#accept(segment, arrivedBy, performance.now() - startedAt);
    });
  }

  /** Reserves nothing for `ready`: an id in memory would be out of order. */
  protected override async ask(failures: number): Promise<void> {
    const { source, name, known, deadlineMs, signal, emit: onEvent } = this.#options;
    const ms = attemptMs(deadlineMs, failures);
    const endsAt = performance.now() + ms;
    await withTimeout(
      ms,
      signal,
      () => sourceTooSlow(name, ms),
      (ended) => meet({ source, name, known, floor: this.#top, onEvent, endsAt, signal: ended }),
    );
    this.sourceAnswered();
  }

  #accept({ low, high }: Segment, arrivedBy: number, tookMs: number): void {
    const { name, demand, emit, signal } = this.#options;
    if (signal.aborted) {
      this.#drop({ low, high }, 'came after the generator was closed');
    } else if (low <= this.#top) {
      this.#drop({ low, high }, `came late: ids up to ${this.#top} were here before`);
    } else {
      this.#top = high;
      this.sourceAnswered();
      emit({ type: 'refill', name, segment: { low, high }, tookMs });
      const given = demand.calls.give(low, high, arrivedBy);
      if (low + given <= high) this.#drop({ low: low + given, high }, 'its callers had given up');
    }
  }

  #drop(segment: Segment, reason: string): void {
    const { name, emit } = this.#options;
    emit({ type: 'discard', name, segment, reason });
  }

  protected override asIdError(cause: unknown): IdError {
    return refillError(this.#options.name, cause);
  }

  protected override report(error: IdError): void {
    const { name, emit } = this.#options;
    emit({ type: 'refill-failed', name, error });
  }
}

/** Why calls wait although nothing failed. */
export function notAnswered(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'its source has not answered in that time');
}
