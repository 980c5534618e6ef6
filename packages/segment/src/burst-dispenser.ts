import { setTimeout as delay } from 'node:timers/promises';
import { type Health, IdError, type RequestOptions } from '@ids/core';
import { Lifecycle } from '@ids/core/strategy';
import { assertBatchWithin } from './adaptive-step.js';
import {
  EventCounter,
  guardedListener,
  LastRegression,
  type SegmentCounters,
  type SegmentListener,
} from './events.js';
import { ExhaustionForecast, type RefillFailure, segmentHealth, UsageRate } from './health.js';
import { KnownReigns } from './known-reigns.js';
import { noIdWithin, RequestQueue } from './request-queue.js';
import { attemptRefill, backOffMs, refillFailure } from './reserve-above.js';
import type { Segment } from './segment.js';
import { type Origin, type SegmentSource, sourceTooSlow, within } from './segment-source.js';
import { starvedFailure } from './starvation.js';

export interface BurstDispenserOptions<T> {
  /** The strategy's name, for error messages. */
  readonly strategy: string;
  /** What is known about the sequence when the dispenser is opened. */
  readonly origin?: Origin | undefined;
  /** The caller closes it. */
  readonly source: SegmentSource;
  readonly name: string;
  /** The most ids that one reservation takes: a larger burst needs several. */
  readonly maxBurst: number;
  /** The most ids that are in flight or held for a batch that waits for others; no bound by default. */
  readonly maxIdsLost?: number | undefined;
  /** Converts the number of an id into what callers get. */
  readonly toId: (value: number) => T;
  /** How long a call may wait, in milliseconds. */
  readonly deadlineMs: number;
  readonly onEvent?: SegmentListener | undefined;
}

/** The longest time limit of a reservation: it grows with each failure, so that a slow source can answer. */
const LONGEST_ATTEMPT_MS = 30_000;
const PAUSE_MS = { first: 50, last: 1_000 };

/**
 * Issues ids that were reserved after they were requested. All calls that wait when a reservation is sent
 * share it, and nobody else gets its ids; what its callers no longer want is dropped, which is a gap. So the
 * ids of all processes are in real-time order: if A was returned before B was requested, A's reservation was
 * made before B's was sent, and the source's reservations increase.
 *
 * One reservation is in flight at a time. The more calls wait, the more ids it reserves.
 */
export class BurstDispenser<T> {
  readonly #options: BurstDispenserOptions<T>;
  readonly #lifecycle: Lifecycle;
  readonly #queue: RequestQueue<T>;
  /** Calls of `ready`, which need an answer of the source but no id. */
  readonly #readiness: RequestQueue<number>;
  readonly #counter = new EventCounter();
  readonly #usage = new UsageRate(performance.now());
  readonly #forecast = new ExhaustionForecast();
  readonly #regression = new LastRegression();
  readonly #known: KnownReigns;
  readonly #emit: SegmentListener;
  /** The greatest id that was reserved for this process. */
  #top = 0;
  /** Whether the source has answered yet. */
  #answered = false;
  #failure: RefillFailure | undefined;
  #running = false;
  #ended = Promise.resolve();

  constructor(options: BurstDispenserOptions<T>) {
    const { strategy, name, deadlineMs, toId, onEvent } = options;
    this.#options = options;
    this.#known = new KnownReigns(name, options.origin);
    this.#lifecycle = new Lifecycle(strategy);
    const expired = (): IdError => noIdWithin(name, deadlineMs, this.#failure?.error ?? tooSlow());
    this.#queue = new RequestQueue({ deadlineMs, toId, expired });
    this.#readiness = new RequestQueue({ deadlineMs, toId: (value) => value, expired });
    const emit = this.#counter.listener(guardedListener(onEvent));
    this.#emit = (event) => {
      this.#regression.note(event);
      emit(event);
    };
  }

  /** Not `async`: a second promise would cost as much as the rest of the call. */
  next(options?: RequestOptions): Promise<T> {
    if (this.#lifecycle.closed) return Promise.reject(this.#lifecycle.closedError());
    this.#start();
    return this.#queue.enqueueOne(options?.signal);
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    assertBatchWithin(count, this.#options.maxIdsLost);
    this.#lifecycle.assertOpen();
    options?.signal?.throwIfAborted();
    if (count === 0) return [];
    this.#start();
    return this.#queue.enqueue(count, options?.signal);
  }

  /** Resolves once the source has answered. Reserves nothing: an id in memory would be out of order. */
  async ready(options?: RequestOptions): Promise<void> {
    this.#lifecycle.assertOpen();
    options?.signal?.throwIfAborted();
    if (this.#answered && this.#failure === undefined) return;
    this.#start();
    await this.#readiness.enqueueOne(options?.signal);
  }

  /** `ok` if the source answered last time, although each call has to ask it. */
  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed', remaining: 0 };
    const state = {
      remaining: 0,
      idsPerSecond: this.#usage.look(this.#queue.issued, performance.now()),
      exhaustedAt: this.#forecast.at(performance.now()),
      failure: this.#failure ?? starvedFailure(this.#queue.starvedMs, tooSlow),
    };
    const { secondsLeft: _, ...health } = segmentHealth(state);
    const status = health.status === 'not-ready' && this.#answered ? 'ok' : health.status;
    return { ...health, status, ...this.#regression.facts };
  }

  /** Totals since the start; also after `close`. Each call waits for a reservation: that is no `waits`. */
  counters(): SegmentCounters {
    const { idsDiscarded, ...told } = this.#counter.read();
    const { issued, lost } = this.#queue;
    return { ...told, idsIssued: issued, idsDiscarded: idsDiscarded + lost, notReady: 0 };
  }

  /** Idempotent. Rejects the calls that wait. Resolves when no reservation is in progress any more. */
  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      this.#rejectAll(this.#lifecycle.closedError());
      await this.#ended;
    });
  }

  #start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#ended = this.#run();
  }

  /** Serves calls, and asks a source that failed until it answers, so that `health` does not stay `down`. */
  async #run(): Promise<void> {
    const { signal } = this.#lifecycle;
    // At the end of this turn of the event loop, so that all calls of the turn share the reservation.
    await new Promise<void>(setImmediate);
    for (let failures = 0; !signal.aborted && this.#needed; ) {
      try {
        await (this.#queue.wanted > 0 ? this.#reserve(failures) : this.#describe(failures));
        failures = 0;
        // Callers that were served may ask again at once: they have done so when the microtasks are done.
        await new Promise<void>(process.nextTick);
      } catch (error) {
        if (signal.aborted) break;
        this.#fail(error);
        await delay(backOffMs(failures++, PAUSE_MS), undefined, { ref: false, signal }).catch(() => {});
      }
    }
    // In the same turn as the check of the loop: a call that comes after it starts the next one.
    this.#running = false;
  }

  get #needed(): boolean {
    return this.#queue.wanted > 0 || this.#readiness.wanted > 0 || (this.#failure?.error.retryable ?? false);
  }

  /**
   * Reserves ids for the calls that wait now. An answer that never comes costs its ids, and the next attempt
   * reserves others: of two reservations for the same calls, the later one has greater ids, and the earlier
   * one is dropped if it arrives after it.
   */
  async #reserve(failures: number): Promise<void> {
    const { source, name, maxBurst, maxIdsLost = Number.POSITIVE_INFINITY } = this.#options;
    const arrivedBy = this.#queue.arrivals;
    // At least 1: a batch that holds ids wants more, and has at most maxIdsLost in the end.
    const size = Math.min(this.#queue.wanted, maxBurst, maxIdsLost - this.#queue.held);
    const timeoutMs = this.#timeoutMs(failures);
    const startedAt = performance.now();
    const { signal } = this.#lifecycle;
    const known = this.#known;
    const attempt = { source, name, size, floor: this.#top, known, timeoutMs, signal, onEvent: this.#emit };
    await attemptRefill(attempt, (segment) => {
      this.#accept(segment, arrivedBy, performance.now() - startedAt);
    });
  }

  async #describe(failures: number): Promise<void> {
    const { source, name } = this.#options;
    const ms = this.#timeoutMs(failures);
    const tooSlow = (): IdError => sourceTooSlow(name, ms);
    await within(ms, this.#lifecycle.signal, tooSlow, (signal) => source.describe(name, { signal }));
    this.#heard();
  }

  #accept({ low, high }: Segment, arrivedBy: number, tookMs: number): void {
    if (this.#lifecycle.closed) {
      this.#drop({ low, high }, 'came after the generator was closed');
    } else if (low <= this.#top) {
      this.#drop({ low, high }, `came late: ids up to ${this.#top} were here before`);
    } else {
      this.#top = high;
      this.#heard();
      this.#forecast.note({ low, high }, performance.now());
      this.#emit({ type: 'refill', name: this.#options.name, segment: { low, high }, tookMs });
      const given = this.#queue.give(low, high, arrivedBy);
      if (low + given <= high) this.#drop({ low: low + given, high }, 'its callers had given up');
    }
  }

  #drop(segment: Segment, reason: string): void {
    this.#emit({ type: 'discard', name: this.#options.name, segment, reason });
  }

  #heard(): void {
    this.#answered = true;
    this.#failure = undefined;
    this.#queue.relieve();
    this.#readiness.give(1, this.#readiness.wanted);
  }

  #fail(cause: unknown): void {
    const { name } = this.#options;
    this.#failure = refillFailure(name, cause);
    const { error } = this.#failure;
    this.#emit({ type: 'refill-failed', name, error });
    if (!error.retryable) this.#rejectAll(error);
  }

  #rejectAll(error: IdError): void {
    this.#queue.fail(error);
    this.#readiness.fail(error);
  }

  /** Half of the deadline, so that one lost answer does not make any caller time out; then longer. */
  #timeoutMs(failures: number): number {
    return Math.min(LONGEST_ATTEMPT_MS, Math.ceil(this.#options.deadlineMs / 2) * 2 ** failures);
  }
}

function tooSlow(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'its source has not answered in that time');
}
