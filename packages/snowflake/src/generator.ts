import {
  type Guarantees,
  type Health,
  type Id,
  IdError,
  type RequestOptions,
  type SyncIdGenerator,
} from '@ids/core';
import { assertBatchCount, Lifecycle } from '@ids/core/strategy';
import { guardedListener, RequestQueue, WaitReport } from '@ids/segment/table';
import {
  type SnowflakeCounters,
  type SnowflakeEvent,
  SnowflakeEventCounter,
  type SnowflakeListener,
} from './events.js';
import { HeldWindows, type MonotonicClock, type NanosecondClock } from './held-windows.js';
import type { IdFormat } from './id-format.js';
import { Keeper, type KeeperFailure } from './keeper.js';
import { type Layout, sequenceSize } from './layout.js';
import type { SlotTable } from './slot-table.js';
import { Tenancy } from './tenancy.js';
import { REACH_MS, WINDOW_MS } from './windows.js';

/** A generator whose ids are stamped with time that was reserved for its slot. */
export interface SnowflakeGenerator<T extends Id = Id> extends SyncIdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SnowflakeCounters;
}

export interface WindowGeneratorOptions<T extends Id> {
  readonly strategy: string;
  readonly name: string;
  readonly layout: Layout;
  readonly format: IdFormat<T>;
  readonly guarantees: Guarantees;
  /** Closed with the generator. */
  readonly table: SlotTable;
  readonly newOwner: () => string;
  readonly atOnce: boolean;
  readonly overflow: 'wait' | 'throw';
  /** The clock that is read for each id. */
  readonly idClock: NanosecondClock;
  readonly clock: MonotonicClock;
  readonly deadlineMs: number;
  readonly onEvent?: SnowflakeListener | undefined;
}

/**
 * Issues ids from windows of time that a keeper gets. Calls that must wait are served in the order of their
 * arrival.
 */
export class WindowGenerator<T extends Id> implements SnowflakeGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #name: string;
  readonly #format: IdFormat<T>;
  readonly #overflow: 'wait' | 'throw';
  readonly #deadlineMs: number;
  /** The most ids that are certain to be in memory at some time. */
  readonly #capacity: number;
  readonly #clock: MonotonicClock;
  readonly #idClock: NanosecondClock;
  readonly #table: SlotTable;
  readonly #held: HeldWindows;
  readonly #keeper: Keeper;
  readonly #lifecycle: Lifecycle;
  readonly #counter = new SnowflakeEventCounter();
  readonly #emit: (event: SnowflakeEvent) => void;
  readonly #waits: WaitReport;
  readonly #queue: RequestQueue<T>;
  /** Calls of `ready`, which need an answer but no id. */
  readonly #readiness: RequestQueue<number>;
  /** The size of a synchronous batch that was rejected. */
  #wantedAtOnce = 0;
  #notReady = 0;

  constructor(options: WindowGeneratorOptions<T>) {
    const { strategy, name, layout, format, table, deadlineMs, clock, onEvent } = options;
    this.strategy = strategy;
    this.guarantees = options.guarantees;
    this.#name = name;
    this.#format = format;
    this.#overflow = options.overflow;
    this.#deadlineMs = deadlineMs;
    this.#capacity = (WINDOW_MS / layout.unitMs) * sequenceSize(layout);
    this.#clock = clock;
    this.#idClock = options.idClock;
    this.#table = table;
    const listener = guardedListener(onEvent);
    const emit = (event: SnowflakeEvent): void => {
      this.#counter.count(event);
      listener(event);
    };
    this.#emit = emit;
    this.#waits = new WaitReport(name, (event) => {
      if (event.type === 'wait') emit(event);
    });
    this.#lifecycle = new Lifecycle(strategy);
    const expired = (): IdError => this.#expiredError();
    this.#queue = new RequestQueue({ deadlineMs, toId: (sequence) => format.id(sequence), expired });
    this.#readiness = new RequestQueue({ deadlineMs, toId: (value) => value, expired });
    this.#held = new HeldWindows(layout, (stamp, slot) => format.begin(stamp, slot));
    this.#keeper = new Keeper({
      name,
      layout,
      table,
      tenancy: new Tenancy(options),
      held: this.#held,
      now: clock,
      timeoutMs: Math.min(WINDOW_MS, deadlineMs),
      emit,
      arrived: () => this.#arrived(),
      failed: (error) => {
        if (!error.retryable && error.code !== 'ERR_IDS_EXHAUSTED') this.#giveUp(error);
      },
    });
  }

  /**
   * Claims a slot. Rejects if that is not possible within the deadline; then the generator must be closed.
   */
  async open(): Promise<void> {
    const endsAt = this.#clock() + this.#deadlineMs;
    await this.#keeper.start();
    for (let { failure } = this.#keeper; failure !== undefined; { failure } = this.#keeper) {
      const { error } = failure;
      const mayPass = error.code === 'ERR_IDS_EXHAUSTED' || error.code === 'ERR_IDS_CLOCK';
      if (!mayPass || this.#clock() >= endsAt) throw error;
      await this.#keeper.nextStep();
    }
  }

  /** Reports what the table is not set up to survive. */
  warn(messages: readonly string[]): void {
    for (const message of messages) this.#emit({ type: 'warning', name: this.#name, message });
  }

  nextSync(): T {
    const sequence = this.#held.tryTake(this.#idClock());
    // One branch and one call: anything else here would slow down every id.
    return sequence < 0 ? this.#refuse(1) : this.#format.id(sequence);
  }

  nextBatchSync(count: number): T[] {
    assertBatchCount(count);
    this.#lifecycle.assertOpen();
    const now = this.#clock();
    return count > this.#held.remaining(now) ? this.#refuse(count) : this.#takeBatch(count, now);
  }

  async next(options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    if (this.#queue.wanted === 0) {
      const sequence = this.#held.tryTake(this.#idClock());
      if (sequence >= 0) return this.#format.id(sequence);
    }
    const [id] = await this.#wait(1, options);
    return id as T;
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    assertBatchCount(count);
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    if (count === 0) return [];
    const now = this.#clock();
    if (this.#queue.wanted === 0 && count <= this.#held.remaining(now)) return this.#takeBatch(count, now);
    return this.#wait(count, options);
  }

  /** Resolves once an id, and every synchronous batch that was rejected, can be served from memory. */
  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    if (this.#isReady()) return;
    const waiting = this.#readiness.enqueue(1, options?.signal);
    this.#keeper.waited = true;
    await waiting.finally(() => this.#noteWaiting());
  }

  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed', remaining: 0 };
    const now = this.#clock();
    const remaining = this.#held.remaining(now);
    const failure = this.#keeper.failure ?? this.#starved();
    const [withIds, without] =
      failure === undefined ? (['ok', 'not-ready'] as const) : (['degraded', 'down'] as const);
    return {
      status: remaining > 0 ? withIds : without,
      remaining,
      ...(remaining > 0 && { secondsLeft: this.#held.timeLeft(now) / 1_000 }),
      ...(failure !== undefined && {
        lastError: { code: failure.error.code, message: failure.error.message, at: failure.at },
      }),
      ...this.#counter.facts,
    };
  }

  counters(): SnowflakeCounters {
    return { ...this.#counter.read(), idsIssued: this.#held.taken, notReady: this.#notReady };
  }

  /** Idempotent. Gives the slot back; resolves when no statement is under way any more. */
  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      this.#giveUp(this.#lifecycle.closedError());
      this.#held.clear();
      await this.#keeper.stop();
      await this.#table.close();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Why a synchronous call for `count` ids got none. */
  #refuse(count: number): never {
    this.#lifecycle.assertOpen();
    if (count > this.#capacity) {
      throw new IdError(
        'ERR_IDS_EXHAUSTED',
        `slots "${this.#name}": ${count} ids at once are more than the ${this.#capacity} that are held in memory; use nextBatch`,
      );
    }
    this.#assertRate();
    this.#wantedAtOnce = Math.max(this.#wantedAtOnce, count);
    this.#notReady += 1;
    const message = `slots "${this.#name}": not enough ids in memory yet; await ready() first, or next()`;
    throw new IdError('ERR_IDS_NOT_READY', message, { cause: this.#keeper.failure?.error });
  }

  /** `now` is the one reading of the clock for which there are `count` ids: a later one may find fewer. */
  #takeBatch(count: number, now: number): T[] {
    // Of its full length from the start: growing it would be slower than everything else here.
    const ids = new Array<T>(count);
    for (let taken = 0; taken < count; ) {
      this.#held.advance(now);
      const length = Math.min(count - taken, this.#held.left);
      const first = this.#held.takeRun(length);
      for (let i = 0; i < length; i++) ids[taken++] = this.#format.id(first + i);
    }
    return ids;
  }

  async #wait(count: number, options: RequestOptions | undefined): Promise<T[]> {
    this.#lifecycle.assertOpen();
    this.#assertRate();
    const waiting = this.#queue.enqueue(count, options?.signal);
    this.#keeper.waited = true;
    this.#serve();
    return this.#waits.of(waiting.finally(() => this.#noteWaiting()));
  }

  #arrived(): void {
    this.#serve();
    if (!this.#isReady()) return;
    this.#wantedAtOnce = 0;
    this.#queue.relieve();
    this.#readiness.give(1, this.#readiness.wanted);
  }

  /** Gives waiting calls what there is, in turn. */
  #serve(): void {
    for (let wanted = this.#queue.headWanted; wanted > 0; wanted = this.#queue.headWanted) {
      if (!this.#held.advance(this.#clock())) return;
      const length = Math.min(wanted, this.#held.left);
      const first = this.#held.takeRun(length);
      this.#queue.give(first, first + length - 1);
    }
  }

  #isReady(): boolean {
    return this.#queue.wanted === 0 && this.#held.remaining(this.#clock()) >= Math.max(1, this.#wantedAtOnce);
  }

  #noteWaiting(): void {
    this.#keeper.waited = this.#queue.wanted > 0 || this.#readiness.wanted > 0;
  }

  #assertRate(): void {
    if (this.#overflow === 'wait' || !this.#held.isAhead(this.#clock())) return;
    throw new IdError(
      'ERR_IDS_EXHAUSTED',
      `slots "${this.#name}": the layout has no more ids now: at most ${this.guarantees.maxIdsPerSecond} a second`,
    );
  }

  #giveUp(error: IdError): void {
    this.#wantedAtOnce = 0;
    this.#queue.fail(error);
    this.#readiness.fail(error);
  }

  /** A new slot takes its wait; whoever waits for longer does not get any. */
  #starved(): KeeperFailure | undefined {
    const ms = this.#queue.starvedMs ?? 0;
    return ms <= REACH_MS + 1_000 ? undefined : { error: tooSlow(), at: new Date(Date.now() - ms) };
  }

  #expiredError(): IdError {
    const cause = this.#keeper.failure?.error ?? tooSlow();
    const code = cause.code === 'ERR_IDS_CONFIG' ? 'ERR_IDS_UNAVAILABLE' : cause.code;
    return new IdError(code, `slots "${this.#name}": no id within ${this.#deadlineMs} ms: ${cause.message}`, {
      cause,
    });
  }
}

function tooSlow(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'no window of time with room for that many ids arrived in time');
}
