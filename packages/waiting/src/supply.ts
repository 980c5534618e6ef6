import type { IdError } from '@ids/core';

/** Gets what calls wait for, and serves them when it has come. */
export interface Supply {
  /**
   * Calls came, calls gave up, or ids were taken: serves those that can be served, and gets more if more is
   * needed. It returns at once.
   */
  replenish(): void;
  /** Whether `ready` can resolve without a wait; false if only an answer shows that. */
  readonly isReady?: boolean;
  /** Ends everything that is under way. Calls that waited have been rejected by then. */
  stop(): Promise<void>;
}

/** A supply of ids in memory. */
export interface HeldSupply extends Supply {
  /**
   * Why a call for `count` ids must not wait for them, or, if it is `synchronous`, will not find them after
   * `ready` either; undefined if neither.
   */
  refusal?(count: number, synchronous: boolean): IdError | undefined;
  /** What to say when a synchronous call finds too few ids: `sequence "a": not enough ids in memory yet`. */
  readonly tooFew: string;
  /** The failure behind it; undefined if there is none. */
  readonly shortage: IdError | undefined;
}
