import type { IdError } from '@ids/core';
import type { HeldIds } from './held-ids.js';
import { RequestQueue, type RequestQueueOptions } from './request-queue.js';

/**
 * What the callers of one generator have requested and not received yet. A `Supply` reads from it how much to
 * get, and serves it when something has arrived.
 */
export class Demand<T> {
  /** Calls that wait for ids. */
  readonly calls: RequestQueue<T>;
  /** Calls of `ready`, which need an answer but no id. */
  readonly readiness: RequestQueue<number>;
  /** The size of a synchronous batch that was rejected: `ready` is kept until this many can be taken. */
  #atOnce = 0;

  constructor(options: RequestQueueOptions<T>) {
    this.calls = new RequestQueue(options);
    this.readiness = new RequestQueue({ ...options, toId: (value) => value });
  }

  /** How many ids must be in memory to serve all of it; 0 if nobody wants any. */
  get wanted(): number {
    return Math.max(this.calls.wanted, this.#atOnce, this.readiness.wanted > 0 ? 1 : 0);
  }

  /** A synchronous call for `count` ids was rejected: it will come again after `ready`. */
  rejected(count: number): void {
    this.#atOnce = Math.max(this.#atOnce, count);
  }

  /** Whether `ready` may resolve. */
  isMet(held: HeldIds): boolean {
    return this.calls.wanted === 0 && held.has(Math.max(1, this.#atOnce));
  }

  /** Serves waiting calls in turn, up to the one that arrived as number `arrivedBy`. */
  serve(held: HeldIds, arrivedBy = Number.POSITIVE_INFINITY): void {
    const { calls } = this;
    for (let wanted = calls.headWanted; wanted > 0; wanted = calls.headWanted) {
      if (calls.headArrival > arrivedBy || !held.prepare(held.inParts ? 1 : wanted)) return;
      const { low, high } = held.takeRange(wanted);
      calls.give(low, high);
    }
  }

  /** Resolves `ready`, if it may. */
  settle(held: HeldIds): void {
    if (!this.isMet(held)) return;
    this.#atOnce = 0;
    this.ready();
  }

  /** Resolves `ready`, and ends starvation. */
  ready(): void {
    this.calls.endStarvation();
    this.readiness.give(1, this.readiness.wanted);
  }

  /** The same, unless the answer came too late for all who wanted ids: the next calls may give up as well. */
  answered(): void {
    if (this.wanted > 0) this.ready();
  }

  /** No more ids will come, for the reason `error`: rejects the calls for which too few are held. */
  refuse(error: IdError, held?: HeldIds): void {
    while (this.calls.wanted > 0) {
      this.calls.failNext(error);
      if (held !== undefined) this.serve(held);
    }
    if (held !== undefined) this.settle(held);
    this.#atOnce = 0;
    this.readiness.fail(error);
  }
}
