import type { Guarantees, Health, Id, RequestOptions, SyncIdGenerator } from '@ids/core';
import type { SegmentBuffer, SegmentCounters, SegmentSource } from '@ids/segment';

/** A generator whose ids come from segments in memory. */
export interface SegmentIdGenerator<T extends Id = Id> extends SyncIdGenerator<T> {
  /** What happened since it was opened, as numbers that only rise; without I/O, also after `close`. */
  counters(): SegmentCounters;
}

export interface SegmentGeneratorParts<T extends Id> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly buffer: SegmentBuffer<T>;
  /** Closed with the generator; absent when the source is somebody else's. */
  readonly ownedSource: SegmentSource | undefined;
}

/** The buffer under the common interface. */
export class SegmentGenerator<T extends Id> implements SegmentIdGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #buffer: SegmentBuffer<T>;
  readonly #ownedSource: SegmentSource | undefined;

  constructor({ strategy, guarantees, buffer, ownedSource }: SegmentGeneratorParts<T>) {
    this.strategy = strategy;
    this.guarantees = guarantees;
    this.#buffer = buffer;
    this.#ownedSource = ownedSource;
  }

  nextSync(): T {
    return this.#buffer.nextSync();
  }

  nextBatchSync(count: number): T[] {
    return this.#buffer.nextBatchSync(count);
  }

  next(options?: RequestOptions): Promise<T> {
    return this.#buffer.next(options);
  }

  nextBatch(count: number, options?: RequestOptions): Promise<T[]> {
    return this.#buffer.nextBatch(count, options);
  }

  ready(options?: RequestOptions): Promise<void> {
    return this.#buffer.ready(options);
  }

  health(): Health {
    return this.#buffer.health();
  }

  counters(): SegmentCounters {
    return this.#buffer.counters();
  }

  async close(): Promise<void> {
    await this.#buffer.close();
    await this.#ownedSource?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
