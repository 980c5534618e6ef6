import type { IdError } from '@ids/core';
import type { SegmentEvent } from '@ids/segment';

/**
 * `reign`: another server process, or the same before a restart or promotion, wrote it. `missing`: flushed,
 * deleted, expired or evicted. `back`: it would give ids that this process has already.
 */
export type VoidReason = 'reign' | 'missing' | 'back';

/** What happens behind a dispenser, for logs and metrics. */
export type RedisSegmentEvent =
  | SegmentEvent
  /**
   * The state in Redis could not be trusted; a new one begins above it, and the ids left in it are a
   * gap. Told by one process.
   */
  | {
      readonly type: 'void';
      readonly name: string;
      readonly reason: VoidReason;
      /** Ids left unused, as far as the hash still told. */
      readonly dropped: number;
    }
  /** Ids were asked for before their segment was there: they are booked, and their callers wait. */
  | { readonly type: 'debt'; readonly name: string; readonly ids: number }
  /**
   * A call ran out of time, the first one since ids came: `error` is what it was rejected with,
   * and its `cause` says why.
   */
  | { readonly type: 'timeout'; readonly name: string; readonly error: IdError };

export type RedisSegmentListener = (event: RedisSegmentEvent) => void;
