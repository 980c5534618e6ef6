import { type Health, IdError, type RequestOptions } from '@ids/core';
import { Lifecycle } from '@ids/core/strategy';
import { type AdaptiveStep, assertBatchWithin } from './adaptive-step.js';
import {
  EventCounter,
  guardedListener,
  LastRegression,
  type SegmentCounters,
  type SegmentListener,
  WaitReport,
} from './events.js';
import { ExhaustionForecast, segmentHealth, UsageRate } from './health.js';
import { HeldSegments } from './held-segments.js';
import { KnownReigns } from './known-reigns.js';
import { noIdWithin, RequestQueue } from './request-queue.js';
import type { Segment } from './segment.js';
import { SegmentRefill } from './segment-refill.js';
import type { Origin, SegmentSource } from './segment-source.js';
import { starvedFailure } from './starvation.js';

export interface SegmentBufferOptions<T> {
  /** The strategy's name, for error messages. */
  readonly strategy: string;
  /** What is known about the sequence when the buffer is opened. */
  readonly origin?: Origin | undefined;
  /** The caller closes it. */
  readonly source: SegmentSource;
  readonly name: string;
  readonly step: AdaptiveStep;
  /** Converts the number of an id into what callers get. */
  readonly toId: (value: number) => T;
  /** How long a call may wait, in milliseconds. */
  readonly deadlineMs: number;
  readonly onEvent?: SegmentListener | undefined;
}

/**
 * Issues ids from segments in memory, and fetches the next segment before they run out: one fetch at a time,
 * shared by all callers. Segments are used in increasing order only, so the ids of one buffer increase. Calls
 * that must wait are served in the order of their arrival.
 */
export class SegmentBuffer<T> {
  readonly #name: string;
  readonly #toId: (value: number) => T;
  readonly #maxIdsLost: number;
  readonly #counter = new EventCounter();
  readonly #usage = new UsageRate(performance.now());
  readonly #forecast = new ExhaustionForecast();
  readonly #regression = new LastRegression();
  readonly #waits: WaitReport;
  readonly #emit: SegmentListener;
  readonly #lifecycle: Lifecycle;
  readonly #held = new HeldSegments();
  readonly #queue: RequestQueue<T>;
  /** Calls of `ready`, which need an answer but no id. */
  readonly #readiness: RequestQueue<number>;
  /** The size of a synchronous batch that was rejected: this many ids must be in memory to serve it. */
  #wantedAtOnce = 0;
  #notReady = 0;
  /** How many calls had arrived by the time the source was last asked. */
  #askedFor = 0;
  readonly #refill: SegmentRefill;

  constructor(options: SegmentBufferOptions<T>) {
    const { strategy, source, name, step, toId, deadlineMs, onEvent } = options;
    this.#name = name;
    this.#toId = toId;
    this.#maxIdsLost = step.maxIdsLost;
    const emit = this.#counter.listener(guardedListener(onEvent));
    this.#emit = (event) => {
      this.#regression.note(event);
      emit(event);
    };
    this.#waits = new WaitReport(name, this.#emit);
    this.#lifecycle = new Lifecycle(strategy);
    const expired = (): IdError => noIdWithin(name, deadlineMs, this.#refill.failure?.error ?? tooSlow());
    this.#queue = new RequestQueue({ deadlineMs, toId, expired, gaveUp: () => this.#goOn() });
    this.#readiness = new RequestQueue({ deadlineMs, toId: (value) => value, expired });
    this.#refill = new SegmentRefill({
      source,
      name,
      step,
      known: new KnownReigns(name, options.origin),
      deadlineMs,
      emit: this.#emit,
      signal: this.#lifecycle.signal,
      held: this.#held,
      missing: () => this.#missing(),
      asking: () => this.#asking(),
      arrived: (segment) => this.#arrived(segment),
      failed: (error) => this.#refuse(error),
    });
  }

  /**
   * Throws `ERR_IDS_NOT_READY` if no id is in memory. It cannot wait, so it may overtake a batch that waits
   * for more ids than there are.
   */
  nextSync(): T {
    const id = this.#held.tryTake();
    // One branch and one call: anything else here would slow down every id.
    return id === 0 ? this.#nextOrThrow() : this.#toId(id);
  }

  nextBatchSync(count: number): T[] {
    assertBatchWithin(count, this.#maxIdsLost);
    this.#lifecycle.assertOpen();
    this.#dropExpired();
    if (count > this.#held.count) {
      this.#wantedAtOnce = Math.max(this.#wantedAtOnce, count);
      this.#refill.start();
      throw this.#notReadyError();
    }
    return this.#takeBatch(count);
  }

  async next(options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    if (this.#queue.wanted === 0) {
      const id = this.#held.tryTake() || this.#take();
      if (id !== 0) return this.#toId(id);
    }
    const [id] = await this.#wait(1, options);
    return id as T;
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    assertBatchWithin(count, this.#maxIdsLost);
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    if (count === 0) return [];
    this.#dropExpired();
    if (this.#queue.wanted === 0 && count <= this.#held.count) return this.#takeBatch(count);
    return this.#wait(count, options);
  }

  /** Resolves once an id, and every synchronous batch that was rejected, can be served from memory. */
  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    this.#dropExpired();
    if (this.#isReady()) return;
    const waiting = this.#readiness.enqueue(1, options?.signal);
    this.#refill.start();
    await waiting;
  }

  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed', remaining: 0 };
    this.#dropExpired();
    const state = {
      remaining: this.#held.count,
      idsPerSecond: this.#idsPerSecond(),
      exhaustedAt: this.#forecast.at(performance.now()),
      failure: this.#refill.failure ?? starvedFailure(this.#queue.starvedMs, tooSlow),
    };
    return { ...segmentHealth(state), ...this.#regression.facts };
  }

  /** Totals since the start; also after `close`. */
  counters(): SegmentCounters {
    return { ...this.#counter.read(), idsIssued: this.#held.taken, notReady: this.#notReady };
  }

  /** Idempotent. Ids in memory are lost, which is a gap. Resolves when no fetch is in progress any more. */
  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      this.#wantedAtOnce = 0;
      this.#queue.fail(this.#lifecycle.closedError());
      this.#readiness.fail(this.#lifecycle.closedError());
      for (const segment of this.#held.drain()) {
        this.#emit({ type: 'discard', name: this.#name, segment, reason: 'the generator was closed' });
      }
      await this.#refill.ended;
    });
  }

  /**
   * The slow path: continues with the next segment, starts a fetch at the low-water mark, and returns 0 if no
   * id is in memory.
   */
  #take(): number {
    this.#lifecycle.assertOpen();
    this.#dropExpired();
    const id = this.#held.take();
    if (this.#held.low) this.#refill.start();
    return id;
  }

  #nextOrThrow(): T {
    const id = this.#take();
    if (id === 0) throw this.#notReadyError();
    return this.#toId(id);
  }

  #takeBatch(count: number): T[] {
    // Of its full length from the start: growing it would be slower than everything else here.
    const ids = new Array<T>(count);
    for (let taken = 0; taken < count; ) {
      const { low, high } = this.#held.takeRange(count - taken);
      for (let id = low; id <= high; id++) ids[taken++] = this.#toId(id);
    }
    if (this.#held.low) this.#refill.start();
    return ids;
  }

  async #wait(count: number, options: RequestOptions | undefined): Promise<T[]> {
    this.#lifecycle.assertOpen();
    const waiting = this.#queue.enqueue(count, options?.signal);
    this.#refill.start();
    return this.#waits.of(waiting);
  }

  #arrived(segment: Segment): void {
    this.#forecast.note(segment, performance.now());
    // Ids of a group that ended while they were on their way are valid for calls made before it ended.
    const late = this.#held.expiresAt <= performance.now();
    if (!late) this.#dropExpired();
    this.#serve(late ? this.#askedFor : Number.POSITIVE_INFINITY);
    this.#dropExpired();
    if (this.#held.count >= this.#wantedAtOnce) this.#wantedAtOnce = 0;
    this.#tellReady();
  }

  /** A batch that needed more ids than are held is gone: the calls behind it may get them. */
  #goOn(): void {
    this.#dropExpired();
    this.#serve(Number.POSITIVE_INFINITY);
    if (this.#held.low) this.#refill.start();
    this.#tellReady();
  }

  #tellReady(): void {
    if (!this.#isReady()) return;
    this.#queue.relieve();
    this.#readiness.give(1, this.#readiness.wanted);
  }

  #asking(): void {
    this.#askedFor = this.#queue.arrivals;
    this.#idsPerSecond();
  }

  #dropExpired(): void {
    for (const segment of this.#held.dropExpired()) {
      this.#emit({ type: 'discard', name: this.#name, segment, reason: 'its day, month or year is over' });
    }
  }

  #idsPerSecond(): number {
    return this.#usage.look(this.#held.taken, performance.now());
  }

  /**
   * Serves waiting calls in turn, up to number `arrivedBy`, each with all of its ids at once: a batch that is
   * given up while it waits for more has not taken any, so nothing is lost.
   */
  #serve(arrivedBy: number): void {
    for (let wanted = this.#queue.headWanted; wanted > 0; wanted = this.#queue.headWanted) {
      if (wanted > this.#held.count || this.#queue.headArrival > arrivedBy) return;
      while (wanted > 0) {
        const { low, high } = this.#held.takeRange(wanted);
        wanted -= this.#queue.give(low, high);
      }
    }
  }

  #isReady(): boolean {
    return this.#queue.wanted === 0 && this.#held.count >= Math.max(1, this.#wantedAtOnce);
  }

  /** How many more ids the present calls need than are held. */
  #missing(): number {
    const wanted = Math.max(this.#queue.wanted, this.#wantedAtOnce, this.#readiness.wanted > 0 ? 1 : 0);
    return wanted - this.#held.count;
  }

  /** No more ids will come, for the reason `error`: rejects the calls for which too few are held. */
  #refuse(error: IdError): void {
    this.#dropExpired();
    for (; this.#queue.wanted > 0; this.#serve(Number.POSITIVE_INFINITY)) {
      this.#queue.failNext(error);
    }
    this.#tellReady();
    this.#wantedAtOnce = 0;
    this.#readiness.fail(error);
  }

  #notReadyError(): IdError {
    this.#notReady += 1;
    const message = `sequence "${this.#name}": not enough ids in memory yet; await ready() first, or next()`;
    return new IdError('ERR_IDS_NOT_READY', message, { cause: this.#refill.failure?.error });
  }
}

function tooSlow(): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    'its source has not returned as many ids as were requested in that time',
  );
}
