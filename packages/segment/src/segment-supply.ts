import { IdError } from '@ids/core';
import { attemptMs, type HeldSupply, PAUSE_MS, RetryLoop } from '@ids/waiting';
import { type AdaptiveStep, refillSize } from './adaptive-step.js';
import type { SupplyOptions } from './engine.js';
import type { HeldSegments } from './held-segments.js';
import { attemptRefill, refillError } from './reserve-above.js';
import type { ExpiringSegment } from './segment.js';

export interface SegmentSupplyOptions extends SupplyOptions {
  readonly step: AdaptiveStep;
  /** Where segments go. */
  readonly held: HeldSegments;
}

/** Fetches segments, one fetch at a time, until enough ids are held. */
export class SegmentSupply implements HeldSupply {
  readonly #options: SegmentSupplyOptions;
  readonly #loop: RetryLoop;
  #takenBefore = 0;
  #step = 0;
  /** How many calls had arrived by the time the source was last asked. */
  #askedFor = 0;

  constructor(options: SegmentSupplyOptions) {
    this.#options = options;
    const { held, failure, signal } = options;
    this.#loop = new RetryLoop({
      // One fetch serves every call of the same turn.
      joined: () => Promise.resolve(),
      needed: (failed) => this.#isNeeded(failed),
      attempt: (failures) => this.#fetch(failures),
      failed: (error) => this.#fail(error),
      pause: PAUSE_MS,
      // The reason may be gone by now, so the next call that takes an id makes the source be asked again.
      ended: () => {
        if (failure.current !== undefined) held.checkNext();
      },
      signal,
    });
  }

  get tooFew(): string {
    return `sequence "${this.#options.name}": not enough ids in memory yet`;
  }

  get shortage(): IdError | undefined {
    return this.#options.failure.current?.error;
  }

  replenish(): void {
    this.#serve();
    if (this.#isNeeded(false)) this.#loop.start();
  }

  /** The ids in memory are lost, which is a gap. */
  async stop(): Promise<void> {
    const { held, name, emit, source, closeSource = false } = this.#options;
    for (const segment of held.drain()) {
      emit({ type: 'discard', name, segment, reason: 'the generator was closed' });
    }
    await this.#loop.ended;
    if (closeSource) await source.close();
  }

  /** After a failure that more time does not mend, only calls are a reason to ask again. */
  #isNeeded(failed: boolean): boolean {
    const { held, failure } = this.#options;
    const inAdvance = !failed || (failure.current?.error.retryable ?? true);
    return (held.atLowWater && inAdvance) || this.#missing() > 0;
  }

  /** How many more ids are requested at this moment than are held. */
  #missing(): number {
    const { demand, held } = this.#options;
    return demand.wanted - held.count;
  }

  #serve(): void {
    const { demand, held } = this.#options;
    demand.serve(held);
    demand.settle(held);
  }

  async #fetch(failures: number): Promise<void> {
    const { source, name, known, deadlineMs, signal, held, step, demand, emit: onEvent } = this.#options;
    // Not again after a failure: attempts in quick succession are no sign of demand.
    if (failures === 0) this.#step = this.#nextStep();
    const size = refillSize(this.#step, Math.max(0, this.#missing()), held, step);
    this.#askedFor = demand.calls.arrivals;
    const timeoutMs = attemptMs(deadlineMs, failures);
    const startedAt = performance.now();
    const attempt = { source, name, size, floor: held.top, known, timeoutMs, signal, onEvent };
    // Also for a segment that arrives after the time limit: it need not be wasted.
    await attemptRefill(attempt, (segment) => {
      const tookMs = performance.now() - startedAt;
      step.answered(tookMs);
      this.#accept(segment, tookMs);
    });
  }

  #nextStep(): number {
    const { held, step } = this.#options;
    const used = held.taken - this.#takenBefore;
    this.#takenBefore = held.taken;
    return step.next(performance.now(), used);
  }

  #accept(reserved: ExpiringSegment, tookMs: number): void {
    const segment = { low: reserved.low, high: reserved.high };
    const { held, name, signal, step, emit, failure } = this.#options;
    const { top } = held;
    const size = segment.high - segment.low + 1;
    // At the end of the range, or at the limit of `maxIdsLost`, segments are smaller than a step.
    const lowWater = size < this.#step ? Math.ceil(size / 2) : step.lowWater;
    if (signal.aborted) {
      emit({ type: 'discard', name, segment, reason: 'came after the generator was closed' });
    } else if (!held.append(reserved, lowWater)) {
      // An older segment that was overtaken on its way would make ids decrease.
      emit({ type: 'discard', name, segment, reason: `came late: ids up to ${top} were here before` });
    } else {
      failure.clear();
      emit({ type: 'refill', name, segment, tookMs });
      // Ids of a group that ended while they were on their way are valid for calls made before it ended.
      const { demand } = this.#options;
      if (held.expiresAt <= performance.now()) held.regardless(() => demand.serve(held, this.#askedFor));
      this.#serve();
    }
  }

  #fail(cause: unknown): void {
    const { name, emit, failure, demand, held } = this.#options;
    const error = refillError(name, cause);
    failure.record(error);
    emit({ type: 'refill-failed', name, error });
    if (!error.retryable) demand.refuse(error, held);
  }
}

/** Why calls wait although nothing failed. */
export function tooSlow(): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    'its source has not returned as many ids as were requested in that time',
  );
}
