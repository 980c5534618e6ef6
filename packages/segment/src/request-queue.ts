import { onAbort } from '@ids/core/strategy';
import { Starvation } from './starvation.js';

/** One waiting call: `wanted` ids more, in order. A node of a singly linked list. */
interface Waiting<T> {
  wanted: number;
  /** Its place among all requests ever made, from 1. */
  readonly arrival: number;
  /** What it was given so far; absent for one that wants a single id and no list around it. */
  readonly ids: T[] | undefined;
  /** Milliseconds on the monotonic clock. */
  readonly since: number;
  readonly resolve: (answer: T | T[]) => void;
  readonly reject: (reason: unknown) => void;
  /** Takes the request off the caller's signal, which may outlive it. */
  forget: (() => void) | undefined;
  /** Set once the caller has its answer; the node is dropped when it reaches the head. */
  settled: boolean;
  next: Waiting<T> | undefined;
}

export interface RequestQueueOptions<T> {
  /**
   * How long a request may wait, in milliseconds, the same for all: so the head is
   * always the first to expire.
   */
  readonly deadlineMs: number;
  /** Turns the number of an id into what callers get. */
  readonly toId: (value: number) => T;
  /** The error for a request whose deadline has passed. */
  readonly expired: () => Error;
}

/**
 * Requests for ids, first come, first served. Whoever has ids gives them to the head, so that arrival order
 * is issue order, across the edges of segments and for batches too.
 */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions<T>;
  #head: Waiting<T> | undefined;
  #tail: Waiting<T> | undefined;
  #wanted = 0;
  #arrivals = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #starvation = new Starvation();

  constructor(options: RequestQueueOptions<T>) {
    this.#options = options;
  }

  /** How many ids all waiting requests still want together. */
  get wanted(): number {
    return this.#wanted;
  }

  /** How many ids the request that is served next still wants; 0 when none waits. */
  get headWanted(): number {
    return this.#live()?.wanted ?? 0;
  }

  /** The place among all arrivals of the request that is served next, from 1; 0 when none waits. */
  get headArrival(): number {
    return this.#live()?.arrival ?? 0;
  }

  /** How many requests have arrived so far; a mark for `give`. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /**
   * For how many milliseconds requests have waited, one after the other or together, and none was served;
   * undefined while that is less than a second.
   */
  get starvedMs(): number | undefined {
    return this.#starvation.tooLong(performance.now(), this.#live() !== undefined);
  }

  /**
   * Resolves with exactly `count` ids (at least 1) in rising order, or rejects; ids that a rejected request
   * had been given already are lost.
   */
  enqueue(count: number, signal?: AbortSignal): Promise<T[]> {
    return this.#wait(count, [], signal) as Promise<T[]>;
  }

  /** As `enqueue(1)`, without the list: that and what unpacks it are a third of what an id costs here. */
  enqueueOne(signal?: AbortSignal): Promise<T> {
    return this.#wait(1, undefined, signal) as Promise<T>;
  }

  #wait(count: number, ids: T[] | undefined, signal: AbortSignal | undefined): Promise<T | T[]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const waiting: Waiting<T> = {
        wanted: count,
        arrival: ++this.#arrivals,
        ids,
        since: performance.now(),
        resolve,
        reject,
        forget: undefined,
        settled: false,
        next: undefined,
      };
      if (signal !== undefined) waiting.forget = onAbort(signal, () => this.#abandon(waiting, signal.reason));
      this.#append(waiting);
    });
  }

  /**
   * Gives the ids `low..high`, rising, to the requests in turn; returns how many of them were taken.
   * Only requests that had arrived when `arrivals` was `arrivedBy` get any: an id that was fetched
   * for a request which gave up since must not go to a later one, or it would come after greater ids
   * that others got in between.
   */
  give(low: number, high: number, arrivedBy = Number.POSITIVE_INFINITY): number {
    const { toId } = this.#options;
    let value = low;
    let served = false;
    for (
      let head = this.#live();
      head !== undefined && head.arrival <= arrivedBy && value <= high;
      head = this.#live()
    ) {
      const { ids } = head;
      const count = Math.min(head.wanted, high - value + 1);
      if (ids !== undefined) for (let i = 0; i < count; i++) ids.push(toId(value + i));
      head.wanted -= count;
      this.#wanted -= count;
      if (head.wanted === 0) {
        head.settled = true;
        served = true;
        head.forget?.();
        head.resolve(ids ?? toId(value));
      }
      value += count;
    }
    if (served) this.#starvation.served(performance.now(), this.#live() !== undefined);
    return value - low;
  }

  /** Rejects every waiting request. */
  fail(error: unknown): void {
    for (let head = this.#live(); head !== undefined; head = this.#live()) this.#drop(head, error);
  }

  #append(waiting: Waiting<T>): void {
    this.#starvation.waits(waiting.since, this.#live() !== undefined);
    if (this.#tail === undefined) this.#head = waiting;
    else this.#tail.next = waiting;
    this.#tail = waiting;
    this.#wanted += waiting.wanted;
    if (this.#timer === undefined) this.#arm(this.#options.deadlineMs);
    else this.#timer.ref();
  }

  /** The first request that still waits; settled ones before it are let go. */
  #live(): Waiting<T> | undefined {
    while (this.#head?.settled) this.#head = this.#head.next;
    if (this.#head === undefined) {
      this.#tail = undefined;
      // An idle queue must not keep the process alive; the timer itself stays, since
      // re-arming costs more per call.
      this.#timer?.unref();
    }
    return this.#head;
  }

  #abandon(waiting: Waiting<T>, reason: unknown): void {
    this.#drop(waiting, reason);
    if (this.#head === undefined) this.#starvation.abandoned();
  }

  #drop(waiting: Waiting<T>, reason: unknown): void {
    waiting.settled = true;
    this.#wanted -= waiting.wanted;
    waiting.forget?.();
    waiting.reject(reason);
    this.#live();
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const now = performance.now();
      const limit = now - this.#options.deadlineMs;
      let head = this.#live();
      for (; head !== undefined && head.since <= limit; head = this.#live()) {
        this.#starvation.expired(now);
        this.#drop(head, this.#options.expired());
      }
      if (head !== undefined) this.#arm(Math.max(1, head.since - limit));
    }, delayMs);
  }
}
