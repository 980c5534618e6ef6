import type { Guarantees, RequestOptions } from '@ids/core';
import type { Lifecycle } from '@ids/core/strategy';
import type { Demand } from './demand.js';
import type { Supply } from './supply.js';

export interface WaitingFrontParts<T> {
  readonly guarantees: Guarantees;
  readonly lifecycle: Lifecycle;
  readonly demand: Demand<T>;
  /** Stopped with the generator. */
  readonly supply: Supply;
  /** Throws a `RangeError` if a batch cannot have this many ids. */
  readonly assertBatch: (count: number) => void;
}

/** The calls of a generator that all wait for what a supply gets for them. */
export class WaitingFront<T> {
  readonly guarantees: Guarantees;
  protected readonly lifecycle: Lifecycle;
  protected readonly demand: Demand<T>;
  protected readonly assertBatch: (count: number) => void;
  readonly #supply: Supply;

  constructor({ guarantees, lifecycle, demand, supply, assertBatch }: WaitingFrontParts<T>) {
    this.guarantees = guarantees;
    this.lifecycle = lifecycle;
    this.demand = demand;
    this.#supply = supply;
    this.assertBatch = assertBatch;
  }

  get strategy(): string {
    return this.lifecycle.strategy;
  }

  /** Not `async`: a second promise would cost as much as the rest of the call. */
  next(options?: RequestOptions): Promise<T> {
    if (this.lifecycle.closed) return Promise.reject(this.lifecycle.closedError());
    this.#supply.replenish();
    return this.demand.calls.enqueueOne(options?.signal);
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    this.assertBatch(count);
    this.lifecycle.assertOpen();
    options?.signal?.throwIfAborted();
    if (count === 0) return [];
    this.#supply.replenish();
    return this.demand.calls.enqueue(count, options?.signal);
  }

  /** Resolves once the supply has shown that it works. */
  async ready(options?: RequestOptions): Promise<void> {
    options?.signal?.throwIfAborted();
    this.lifecycle.assertOpen();
    if (this.isReady) return;
    const waiting = this.demand.readiness.enqueueOne(options?.signal);
    this.#supply.replenish();
    await waiting;
  }

  /** Whether `ready` can resolve without a wait. */
  protected get isReady(): boolean {
    return this.#supply.isReady ?? false;
  }

  /** Idempotent. Rejects the calls that wait. Resolves when nothing is in progress any more. */
  close(): Promise<void> {
    return this.lifecycle.close(async () => {
      this.demand.refuse(this.lifecycle.closedError());
      await this.#supply.stop();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
