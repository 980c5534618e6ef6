import { type Guarantees, type Health, type Id, IdError, type RequestOptions } from '@ids/core';
import { assertBatchCount, Lifecycle } from '@ids/core/strategy';
import { guardedListener, RequestQueue, WaitReport } from '@ids/segment/table';
import { type SnowflakeCounters, SnowflakeEventCounter, type SnowflakeListener } from './events.js';
import type { SnowflakeGenerator } from './generator.js';
import type { NanosecondClock } from './held-windows.js';
import type { IdFormat } from './id-format.js';
import { type Layout, sequenceSize } from './layout.js';
import { LeasedIds } from './leased-ids.js';
import {
  type Clocks,
  type Shortage,
  timeOfProcess,
  WORKER_AHEAD_MS,
  type WorkerTime,
} from './worker-time.js';

export interface FixedWorkerOptions<T extends Id> {
  readonly strategy: string;
  readonly worker: number;
  readonly layout: Layout;
  readonly format: IdFormat<T>;
  readonly guarantees: Guarantees;
  readonly overflow: 'wait' | 'throw';
  /** The clock that is read for each id. */
  readonly idClock: NanosecondClock;
  readonly clocks: Clocks;
  readonly deadlineMs: number;
  readonly onEvent?: SnowflakeListener | undefined;
}

/**
 * A clock that went back may be set right at any time: it is looked at again after this many milliseconds.
 */
const LONGEST_PAUSE_MS = 1_000;

/**
 * A generator without a database: all generators and threads of this process share the time of its worker.
 * Calls that must wait are served in the order of their arrival.
 */
export class FixedWorkerGenerator<T extends Id> implements SnowflakeGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #name: string;
  readonly #format: IdFormat<T>;
  readonly #overflow: 'wait' | 'throw';
  readonly #deadlineMs: number;
  /** The most ids that are certain to be there at once at some time. */
  readonly #capacity: number;
  readonly #idClock: NanosecondClock;
  readonly #time: WorkerTime;
  readonly #ids: LeasedIds<T>;
  readonly #lifecycle: Lifecycle;
  readonly #counter = new SnowflakeEventCounter();
  readonly #waits: WaitReport;
  readonly #queue: RequestQueue<T>;
  /** Calls of `ready`, which need an answer but no id. */
  readonly #readiness: RequestQueue<number>;
  #timer: NodeJS.Timeout | undefined;
  #lastShortage: Shortage | undefined;
  /** The size of a synchronous batch that was rejected. */
  #wantedAtOnce = 1;
  #notReady = 0;

  constructor(options: FixedWorkerOptions<T>) {
    const { strategy, worker, layout, format, deadlineMs, onEvent } = options;
    this.strategy = strategy;
    this.guarantees = options.guarantees;
    this.#name = `worker ${worker}`;
    this.#format = format;
    this.#overflow = options.overflow;
    this.#deadlineMs = deadlineMs;
    this.#capacity = (WORKER_AHEAD_MS / layout.unitMs) * sequenceSize(layout);
    this.#idClock = options.idClock;
    this.#time = timeOfProcess(options);
    this.#ids = new LeasedIds({ ...options, time: this.#time });
    this.#lifecycle = new Lifecycle(strategy);
    const listener = guardedListener(onEvent);
    this.#waits = new WaitReport(this.#name, (event) => {
      if (event.type !== 'wait') return;
      this.#counter.count(event);
      listener(event);
    });
    const expired = (): IdError => this.#expiredError();
    this.#queue = new RequestQueue({ deadlineMs, toId: (sequence) => format.id(sequence), expired });
    this.#readiness = new RequestQueue({ deadlineMs, toId: (value) => value, expired });
  }

  nextSync(): T {
    const sequence = this.#ids.tryTake(this.#idClock());
    // One branch and one call: anything else here would slow down every id.
    return sequence < 0 ? this.#takeFromNext() : this.#format.id(sequence);
  }

  nextBatchSync(count: number): T[] {
    assertBatchCount(count);
    this.#lifecycle.assertOpen();
    const found = this.#batch(count);
    return 'error' in found ? this.#refuse(count, found) : found;
  }

  async next(options?: RequestOptions): Promise<T> {
    options?.signal?.throwIfAborted();
    const sequence = this.#ids.tryTake(this.#idClock());
    if (sequence >= 0) return this.#format.id(sequence);
    this.#lifecycle.assertOpen();
    const shortage = this.#renew();
    if (shortage === undefined) return this.#format.id(this.#ids.takeRun(1));
    const [id] = await this.#wait(1, shortage, options);
    return id as T;
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    assertBatchCount(count);
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    const found = this.#batch(count);
    return 'error' in found ? this.#wait(count, found, options) : found;
  }

  /** Resolves once an id, and every synchronous batch that was rejected, can be served. */
  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.#lifecycle.assertOpen();
    const waiting = this.#readiness.enqueue(1, options?.signal);
    this.#serve();
    await waiting;
  }

  health(): Health {
    if (this.#lifecycle.closed) return { status: 'closed' };
    const shortage = this.#ids.left > 0 ? undefined : this.#time.shortageOf(1);
    if (shortage === undefined) return { status: 'ok' };
    const { code, message } = shortage.error;
    const soon = shortage.againMs !== undefined && code !== 'ERR_IDS_CLOCK';
    return soon ? { status: 'not-ready' } : { status: 'down', lastError: { code, message, at: new Date() } };
  }

  counters(): SnowflakeCounters {
    return { ...this.#counter.read(), idsIssued: this.#ids.taken, notReady: this.#notReady };
  }

  close(): Promise<void> {
    return this.#lifecycle.close(async () => {
      clearTimeout(this.#timer);
      this.#ids.clear();
      this.#fail(this.#lifecycle.closedError());
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #takeFromNext(): T {
    this.#lifecycle.assertOpen();
    const shortage = this.#renew();
    return shortage === undefined ? this.#format.id(this.#ids.takeRun(1)) : this.#refuse(1, shortage);
  }

  /** Sees to it that an id can be taken. Says why not; so also if calls wait that come first. */
  #renew(): Shortage | undefined {
    return this.#passedBy() ?? this.#ids.refresh();
  }

  #batch(count: number): T[] | Shortage {
    return count === 0 ? [] : (this.#passedBy() ?? this.#ids.takeBatch(count));
  }

  /** Why calls that came first still wait; undefined if none does. */
  #passedBy(): Shortage | undefined {
    if (this.#queue.wanted > 0) this.#serve();
    return this.#queue.wanted > 0 ? this.#lastShortage : undefined;
  }

  /** Why a synchronous call for `count` ids got none. */
  #refuse(count: number, shortage: Shortage): never {
    const { error } = shortage;
    if (count > this.#capacity) {
      throw new IdError(
        'ERR_IDS_EXHAUSTED',
        `${this.#name}: ${count} ids at once are more than the ${this.#capacity} that there can be; use nextBatch`,
      );
    }
    if (error.code === 'ERR_IDS_CLOCK' || !this.#isWaitedFor(shortage)) throw error;
    this.#wantedAtOnce = Math.max(this.#wantedAtOnce, count);
    this.#notReady += 1;
    throw new IdError('ERR_IDS_NOT_READY', `${error.message}; await ready() first, or next()`);
  }

  async #wait(count: number, shortage: Shortage, options: RequestOptions | undefined): Promise<T[]> {
    if (!this.#isWaitedFor(shortage)) throw shortage.error;
    const waiting = this.#queue.enqueue(count, options?.signal);
    this.#serve();
    return this.#waits.of(waiting);
  }

  #isWaitedFor({ error, againMs }: Shortage): boolean {
    return againMs !== undefined && (error.code !== 'ERR_IDS_EXHAUSTED' || this.#overflow === 'wait');
  }

  /** Gives waiting calls what there is, in turn, and looks again when there may be more. */
  #serve(): void {
    clearTimeout(this.#timer);
    const shortage = this.#giveIds() ?? this.#giveReadiness();
    this.#lastShortage = shortage;
    if (shortage?.againMs === undefined) return;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.ceil(shortage.againMs));
    // The deadlines of calls keep the process alive.
    this.#timer = setTimeout(() => this.#serve(), pauseMs).unref();
  }

  #giveIds(): Shortage | undefined {
    for (let wanted = this.#queue.headWanted; wanted > 0; wanted = this.#queue.headWanted) {
      const shortage = this.#ids.refresh();
      if (shortage !== undefined) {
        if (this.#isWaitedFor(shortage)) return shortage;
        this.#queue.fail(shortage.error);
        return undefined;
      }
      const length = Math.min(wanted, this.#ids.left);
      const first = this.#ids.takeRun(length);
      this.#queue.give(first, first + length - 1);
    }
    return undefined;
  }

  #giveReadiness(): Shortage | undefined {
    if (this.#readiness.wanted === 0) return undefined;
    const shortage = this.#time.shortageOf(this.#wantedAtOnce);
    if (shortage === undefined) {
      this.#wantedAtOnce = 1;
      this.#readiness.give(1, this.#readiness.wanted);
    } else if (shortage.againMs === undefined) this.#readiness.fail(shortage.error);
    return shortage;
  }

  #fail(error: IdError): void {
    this.#queue.fail(error);
    this.#readiness.fail(error);
  }

  #expiredError(): IdError {
    const { error } = this.#lastShortage ?? {};
    const code = error?.code === 'ERR_IDS_CLOCK' ? 'ERR_IDS_CLOCK' : 'ERR_IDS_TIMEOUT';
    const why = error?.message ?? 'as many ids did not come in that time';
    return new IdError(code, `${this.#name}: no id within ${this.#deadlineMs} ms: ${why}`, { cause: error });
  }
}
