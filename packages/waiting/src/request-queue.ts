import { IdError } from '@ids/core';
import { onAbort } from '@ids/core/strategy';
import { Deadlines } from './deadlines.js';
import { Starvation } from './starvation.js';

/** One waiting call, which needs `wanted` more ids, in order. A node of a singly linked list. */
interface Waiting<T> {
  wanted: number;
  /** Its position among all requests ever made, from 1. */
  readonly arrival: number;
  /** The ids it has so far; undefined if it wants a single id and no array around it. */
  readonly ids: T[] | undefined;
  /** Milliseconds, by the monotonic clock. */
  readonly since: number;
  readonly resolve: (answer: T | T[]) => void;
  readonly reject: (reason: unknown) => void;
  /** Removes the request from the caller's signal, which may outlive it. */
  forget: (() => void) | undefined;
  /** Set once the caller has its answer; the node is removed when it reaches the head. */
  settled: boolean;
  next: Waiting<T> | undefined;
}

export interface RequestQueueOptions<T> {
  /**
   * How long a request may wait, in milliseconds, or the deadlines that this queue shares with others. The
   * same for all, so the head is always the first to expire.
   */
  readonly deadlineMs: number | Deadlines;
  /** Converts the number of an id into what callers get. */
  readonly toId: (value: number) => T;
  /** The error for a request in `queue` whose deadline has passed. */
  readonly expired: (queue: object) => Error;
}

/**
 * Requests for ids, first come, first served. Ids always go to the head, so ids are issued in the order of
 * arrival, across segments and for batches too.
 */
export class RequestQueue<T> {
  readonly #options: RequestQueueOptions<T>;
  #head: Waiting<T> | undefined;
  #tail: Waiting<T> | undefined;
  #wanted = 0;
  #arrivals = 0;
  #issued = 0;
  #lost = 0;
  readonly #deadlines: Deadlines;
  readonly #starvation = new Starvation();

  constructor(options: RequestQueueOptions<T>) {
    this.#options = options;
    const { deadlineMs } = options;
    this.#deadlines = typeof deadlineMs === 'number' ? new Deadlines(deadlineMs) : deadlineMs;
  }

  /** How many ids all waiting requests together still need. */
  get wanted(): number {
    return this.#wanted;
  }

  /** How many ids the next request still needs; 0 if none is waiting. */
  get headWanted(): number {
    return this.#live()?.wanted ?? 0;
  }

  /** The position of the next request among all arrivals, from 1; 0 if none is waiting. */
  get headArrival(): number {
    return this.#live()?.arrival ?? 0;
  }

  /** How many requests have arrived so far; for `give`. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** How many ids went to requests that got all of theirs. */
  get issued(): number {
    return this.#issued;
  }

  /** How many ids the next request has: all of its own but those that it waits for. */
  get held(): number {
    return this.#live()?.ids?.length ?? 0;
  }

  /** How many ids were lost with requests that were rejected before they had all of theirs. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * For how many milliseconds requests have been waiting, one after another or together, without any being
   * served; undefined while that is less than a second.
   */
  get starvedMs(): number | undefined {
    return this.#starvation.tooLong(performance.now(), this.#live() !== undefined);
  }

  /**
   * Resolves with exactly `count` ids (at least 1) in increasing order, or rejects. Ids that a rejected
   * request already had are lost.
   */
  enqueue(count: number, signal?: AbortSignal): Promise<T[]> {
    return this.#wait(count, [], signal) as Promise<T[]>;
  }

  /** Like `enqueue(1)` without the array: creating and unpacking it would be a third of the time per id. */
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
   * Gives the ids `low..high`, in increasing order, to the requests in turn; returns how many were taken.
   * Only requests that had arrived when `arrivals` was `arrivedBy` get any. An id that was fetched for a
   * request that has given up since must not go to a later one: others may have got greater ids in between.
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
        this.#issued += ids?.length ?? 1;
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
    while (this.#live() !== undefined) this.failNext(error);
  }

  /** Rejects the next request, if there is one, so that those behind it may be served. */
  failNext(error: unknown): void {
    const head = this.#live();
    if (head === undefined) return;
    this.#starvation.failed(performance.now());
    this.#drop(head, error);
  }

  /** For `Deadlines`: rejects the requests that have waited since `limit`, or longer. */
  expire(limit: number): number | undefined {
    let head = this.#live();
    for (; head !== undefined && head.since <= limit; head = this.#live()) {
      this.#starvation.failed(performance.now());
      this.#drop(head, this.#options.expired(this));
    }
    return head?.since;
  }

  /** Ids can be had again: unless a request is still waiting, none is starved. */
  endStarvation(): void {
    if (this.#live() === undefined) this.#starvation.reset();
  }

  #append(waiting: Waiting<T>): void {
    this.#starvation.waits(waiting.since, this.#live() !== undefined);
    if (this.#tail === undefined) this.#head = waiting;
    else this.#tail.next = waiting;
    this.#tail = waiting;
    this.#wanted += waiting.wanted;
    this.#deadlines.watch(this);
  }

  /** The first request that is still waiting; removes the settled ones before it. */
  #live(): Waiting<T> | undefined {
    while (this.#head?.settled) this.#head = this.#head.next;
    if (this.#head === undefined) {
      this.#tail = undefined;
      // An idle queue must not keep the process alive.
      this.#deadlines.unwatch(this);
    }
    return this.#head;
  }

  #abandon(waiting: Waiting<T>, reason: unknown): void {
    this.#drop(waiting, reason);
    this.endStarvation();
  }

  #drop(waiting: Waiting<T>, reason: unknown): void {
    waiting.settled = true;
    this.#wanted -= waiting.wanted;
    this.#lost += waiting.ids?.length ?? 0;
    waiting.forget?.();
    waiting.reject(reason);
    this.#live();
  }
}

/** Causes that may be over a moment later, so that callers can tell them apart. */
const PASSING = ['ERR_IDS_TIMEOUT', 'ERR_IDS_CLOCK', 'ERR_IDS_EXHAUSTED'] as const;

/** The error of a request whose deadline has passed; `from` is what ids come from: `sequence "orders"`. */
export function noIdWithin(from: string, deadlineMs: number, cause: IdError): IdError {
  const code = PASSING.find((passing) => passing === cause.code) ?? 'ERR_IDS_UNAVAILABLE';
  return new IdError(code, `${from}: no id within ${deadlineMs} ms: ${cause.message}`, { cause });
}
