import type { Guarantees, Health, Id, IdGenerator, RequestOptions } from '@ids/core';
import { abortable, assertBatchCount, type Lifecycle } from '@ids/core/strategy';
import { type LastRegression, type RequestQueue, segmentHealth } from '@ids/segment';
import type { Dispenser } from './dispenser.js';
import type { RedisEventCounter, RedisSegmentCounters } from './events.js';

export interface RedisSegmentGeneratorParts<T extends Id> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly dispenser: Dispenser<T>;
  readonly queue: RequestQueue<T>;
  readonly lifecycle: Lifecycle;
  readonly regression: LastRegression;
  readonly counter: RedisEventCounter;
  /** Ends background work and closes what was opened for this generator. */
  readonly release: () => Promise<void>;
}

/** A generator whose ids a Redis hash dispenses to all processes. */
export interface RedisSegmentIdGenerator<T extends Id = Id> extends IdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): RedisSegmentCounters;
}

/** Implements `IdGenerator` with a dispenser. */
export class RedisSegmentGenerator<T extends Id> implements RedisSegmentIdGenerator<T> {
  readonly #parts: RedisSegmentGeneratorParts<T>;

  constructor(parts: RedisSegmentGeneratorParts<T>) {
    this.#parts = parts;
  }

  get strategy(): string {
    return this.#parts.strategy;
  }

  get guarantees(): Guarantees {
    return this.#parts.guarantees;
  }

  /** Not `async`: a second promise would double the cost of an id. */
  next(options?: RequestOptions): Promise<T> {
    const { lifecycle, dispenser } = this.#parts;
    return lifecycle.closed ? Promise.reject(lifecycle.closedError()) : dispenser.requestOne(options?.signal);
  }

  async nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    assertBatchCount(count);
    this.#parts.lifecycle.assertOpen();
    options?.signal?.throwIfAborted();
    return count === 0 ? [] : this.#parts.dispenser.request(count, options?.signal);
  }

  async ready(options?: RequestOptions): Promise<void> {
    const { lifecycle, dispenser } = this.#parts;
    lifecycle.assertOpen();
    options?.signal?.throwIfAborted();
    const stopped = AbortSignal.any([lifecycle.signal, ...(options?.signal ? [options.signal] : [])]);
    await abortable(dispenser.ready(stopped), stopped);
  }

  health(): Health {
    const { dispenser, lifecycle, regression } = this.#parts;
    if (lifecycle.closed) return { status: 'closed', remaining: 0 };
    const { left: remaining, failure, outlook } = dispenser;
    const { idsPerSecond, exhaustedAt } = outlook;
    return { ...segmentHealth({ remaining, idsPerSecond, exhaustedAt, failure }), ...regression.facts };
  }

  counters(): RedisSegmentCounters {
    const { dispenser, counter } = this.#parts;
    const { issued, unwanted, takes } = dispenser.counts;
    const { idsDiscarded, ...told } = counter.read();
    return { ...told, idsIssued: issued, idsDiscarded: idsDiscarded + unwanted, takes };
  }

  close(): Promise<void> {
    const { lifecycle, queue, release } = this.#parts;
    return lifecycle.close(async () => {
      queue.fail(lifecycle.closedError());
      await release();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
