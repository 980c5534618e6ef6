/**
 * What a generator did since it was opened. Every number only rises; one that a
 * strategy cannot count is absent.
 */
export interface Counters {
  /** Ids given to callers. */
  readonly idsIssued?: number;
  /** Ids that this process threw away unused. What a crash burns is counted by nobody. */
  readonly idsDiscarded?: number;
  /** Segments that arrived, and how long these answers took together, in seconds. */
  readonly refills?: number;
  readonly refillSeconds?: number;
  /** Attempts to fetch a segment that failed. */
  readonly refillFailures?: number;
  /**
   * Times that the source of segments was found to have gone back, or to have another history than before.
   */
  readonly regressions?: number;
  /** Calls that found too few ids in memory and had to wait, whatever became of them. */
  readonly waits?: number;
  /** How long callers waited: of calls that ended together, the longest. In seconds. */
  readonly waitSeconds?: number;
  /** Synchronous calls that threw `ERR_IDS_NOT_READY`. */
  readonly notReady?: number;
  /** Requests for ids that a shared dispenser answered. */
  readonly takes?: number;
  /** Times that the state of a shared dispenser was found lost or replaced, by this process. */
  readonly stateLosses?: number;
  /** Calls that ran out of time. */
  readonly timeouts?: number;
}
