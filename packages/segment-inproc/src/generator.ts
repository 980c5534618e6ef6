import type { Guarantees, Id, SyncIdGenerator } from '@ids/core';
import {
  SegmentBuffer,
  type SegmentBufferOptions,
  type SegmentCounters,
  type SegmentSource,
} from '@ids/segment';

/** A generator whose ids come from segments in memory. */
export interface SegmentIdGenerator<T extends Id = Id> extends SyncIdGenerator<T> {
  /** What happened since it was opened, as numbers that only rise; without I/O, also after `close`. */
  counters(): SegmentCounters;
}

export interface SegmentGeneratorOptions<T extends Id> extends SegmentBufferOptions<T> {
  readonly guarantees: Guarantees;
  /** Closed with the generator; absent when the source is somebody else's. */
  readonly ownedSource: SegmentSource | undefined;
}

/**
 * The buffer under the common interface; it extends it, since one call more on the way would cost `nextSync`
 * a good part of its speed.
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
