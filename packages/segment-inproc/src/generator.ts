import type { Guarantees, Id, SyncIdGenerator } from '@ids/core';
import {
  SegmentBuffer,
  type SegmentBufferOptions,
  type SegmentCounters,
  type SegmentSource,
} from '@ids/segment';

/** A generator whose ids come from segments in memory. */
export interface SegmentIdGenerator<T extends Id = Id> extends SyncIdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SegmentCounters;
}

export interface SegmentGeneratorOptions<T extends Id> extends SegmentBufferOptions<T> {
  readonly guarantees: Guarantees;
  /** Closed with the generator; undefined if the caller closes the source. */
  readonly ownedSource: SegmentSource | undefined;
}

/**
 * The buffer with the common interface. It is a subclass, because one more call would make `nextSync`
 * considerably slower.
 */
export class SegmentGenerator<T extends Id> extends SegmentBuffer<T> implements SegmentIdGenerator<T> {
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #ownedSource: SegmentSource | undefined;

  constructor(options: SegmentGeneratorOptions<T>) {
    super(options);
    this.strategy = options.strategy;
    this.guarantees = options.guarantees;
    this.#ownedSource = options.ownedSource;
  }

  override async close(): Promise<void> {
    await super.close();
    await this.#ownedSource?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
