import { IdError } from '@ids/core';
import type { Demand, HeldSupply } from '@ids/waiting';
import { type Layout, sequenceSize } from '../ids/layout.js';
import { LONGEST_PAUSE_MS } from '../windows/lengths.js';
import type { LeasedIds } from './leased-ids.js';
import { type Shortage, WORKER_AHEAD_MS } from './worker-time.js';

export interface WorkerSupplyOptions {
  /** For messages: `worker 3`. */
  readonly from: string;
  readonly layout: Layout;
  readonly held: LeasedIds<unknown>;
  readonly demand: Demand<unknown>;
  readonly overflow: 'wait' | 'throw';
}

/** The time of a fixed worker, which passes by itself: what is missing now is there later. */
export class WorkerSupply implements HeldSupply {
  readonly #options: WorkerSupplyOptions;
  /** The most ids that are certain to be there at once at some time. */
  readonly #capacity: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WorkerSupplyOptions) {
    this.#options = options;
    this.#capacity = (WORKER_AHEAD_MS / options.layout.unitMs) * sequenceSize(options.layout);
  }

  get tooFew(): string {
    return this.shortage?.message ?? `${this.#options.from}: not enough ids at this moment`;
  }

  get shortage(): IdError | undefined {
    return this.#options.held.shortage?.error;
  }

  /** Looks again when there may be more. */
  replenish(): void {
    clearTimeout(this.#timer);
    const { demand, held } = this.#options;
    const { calls, readiness } = demand;
    demand.serve(held);
    if (calls.wanted > 0 && held.shortage !== undefined && !this.#isWaitedFor(held.shortage)) {
      calls.fail(held.shortage.error);
    }
    if (readiness.wanted > 0) demand.settle(held);
    const { shortage } = held;
    if (shortage === undefined || calls.wanted + readiness.wanted === 0) return;
    if (shortage.againMs === undefined) readiness.fail(shortage.error);
    else {
      const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.ceil(shortage.againMs));
      // The deadlines of calls keep the process alive.
      this.#timer = setTimeout(() => this.replenish(), pauseMs).unref();
    }
  }

  refusal(count: number, synchronous: boolean): IdError | undefined {
    const { from, held } = this.#options;
    if (synchronous && count > this.#capacity) {
      return new IdError(
        'ERR_IDS_EXHAUSTED',
        `${from}: ${count} ids at once are more than the ${this.#capacity} that there can be; use nextBatch`,
      );
    }
    const { shortage } = held;
    if (shortage === undefined) return undefined;
    const passes = this.#isWaitedFor(shortage) && !(synchronous && shortage.error.code === 'ERR_IDS_CLOCK');
    return passes ? undefined : shortage.error;
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#options.held.clear();
  }

  #isWaitedFor({ error, againMs }: Shortage): boolean {
    return againMs !== undefined && (error.code !== 'ERR_IDS_EXHAUSTED' || this.#options.overflow === 'wait');
  }
}
