import type { Guarantees, Id, IdGenerator, SyncIdGenerator } from '@ids/core';
import {
  BurstDispenser,
  type BurstDispenserOptions,
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

/** A generator whose ids are reserved when they are asked for. */
export interface OrderedSegmentIdGenerator<T extends Id = Id> extends IdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SegmentCounters;
}

export interface GeneratorParts {
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

  constructor(options: SegmentBufferOptions<T> & GeneratorParts) {
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

/** The dispenser of bursts with the common interface. */
export class OrderedSegmentGenerator<T extends Id>
  extends BurstDispenser<T>
  implements OrderedSegmentIdGenerator<T>
{
  readonly strategy: string;
  readonly guarantees: Guarantees;
  readonly #ownedSource: SegmentSource | undefined;

  constructor(options: BurstDispenserOptions<T> & GeneratorParts) {
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
