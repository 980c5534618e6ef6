import type { Counters, IdError } from '@ids/core';
import type { SegmentEvent } from '@ids/segment';
import type { SilenceEvent } from './silence.js';

/**
 * Why the state in Redis is void. `reign`: another server process wrote it, the same one before a restart or
 * promotion, or it was written under another key. `missing`: it was flushed, deleted, expired or evicted.
 * `back`: it would issue ids that this process already has.
 */
export type VoidReason = 'reign' | 'missing' | 'back';

const IDS_GO_ON = 'IDs go on above all that were issued, and leave a gap';

/** What happened, for the log of an operator. */
export const VOID_TEXT: Readonly<Record<VoidReason, string>> = {
  reign: `Redis was restarted, or another server took over. ${IDS_GO_ON}. There is nothing to do.`,
  missing: `the data of this sequence in Redis was flushed, deleted or evicted. ${IDS_GO_ON}. There is nothing to do now; set maxmemory-policy to noeviction if nobody deleted it.`,
  back: `Redis went back to older data, which would have issued IDs again. ${IDS_GO_ON}. There is nothing to do now; find out who restored it.`,
};

/** What happens inside a generator, for logs and metrics. */
export type SegmentRedisDbEvent =
  | SegmentEvent
  /** Redis left calls unanswered, the first time since it answered one. */
  | SilenceEvent
  /**
   * The state in Redis cannot be trusted. A new one begins above it; the ids left in the old one are a gap.
   * Only one process gets this event.
   */
  | {
      readonly type: 'void';
      readonly name: string;
      readonly reason: VoidReason;
      /** How many ids were left unused, as far as the hash still shows. */
      readonly dropped: number;
      /** What happened, and what to do, for a log. */
      readonly message: string;
    }
  /** Ids were requested before their segment was there: they are booked, and the calls wait. */
  | { readonly type: 'debt'; readonly name: string; readonly ids: number }
  /** A call timed out, the first one since ids came. It was rejected with `error`, whose `cause` says why. */
  | { readonly type: 'timeout'; readonly name: string; readonly error: IdError };

export type SegmentRedisDbListener = (event: SegmentRedisDbEvent) => void;

/**
 * The counters of one process that uses a shared dispenser. No ids are in memory here, so there are no
 * counters of calls that had to wait.
 */
export type SegmentRedisDbCounters = Required<
  Omit<Counters, 'waits' | 'waitSeconds' | 'notReady' | 'newKeys'>
>;
