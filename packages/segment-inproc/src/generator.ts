import type { Id, IdGenerator, SyncIdGenerator } from '@ids/core';
import type { SegmentCounters } from '@ids/segment';

/** A generator whose ids come from segments in memory. */
export interface SegmentInprocIdGenerator<T extends Id = Id> extends SyncIdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SegmentCounters;
}

/** A generator whose ids are reserved when they are asked for. */
export interface OrderedSegmentInprocIdGenerator<T extends Id = Id> extends IdGenerator<T> {
  /** Totals since it was opened; without I/O, also after `close`. */
  counters(): SegmentCounters;
}
