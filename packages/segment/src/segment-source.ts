import { abortable, IdError, type RequestOptions } from '@ids/core';
import { guardedListener, type SegmentListener } from './events.js';
import type { SequenceGroup } from './groups/sequence-group.js';
import { LAST_ID, type Segment } from './segment.js';

/** The state of one sequence in the central segment manager. */
export interface SequenceState {
  /** Tells this sequence from one of the same name in another environment or after a re-creation. */
  readonly realm: string;
  /** The last id reserved by anyone; 0 when none was. */
  readonly maxId: number;
  /** Present when the sequence counts anew in each day, month or year. */
  readonly group?: SequenceGroup;
  /**
   * What the store is not set up to survive, a sentence each. Ids are unique as long as it does not happen.
   */
  readonly warnings?: readonly string[];
}

/**
 * A store was found to have another history than at the reservation before: a standby took over,
 * or a backup was restored.
 */
export interface NewReign {
  readonly cause: 'failover' | 'restore';
  /** How many ids were skipped below the segment, since the former store may have reserved them. */
  readonly skipped: number;
}

export interface ReservedSegment extends Segment {
  /** Present on the one reservation that noticed it. */
  readonly newReign?: NewReign;
  /**
   * The reading of `performance.now()` from which on the ids must not be given, because the day, month or
   * year in them is over. Absent: never. It comes from the store's clock, at most one round trip early.
   */
  readonly expiresAt?: number;
}

/** How far a source raises a sequence that went back before it asks for a human, in ids. */
export const DEFAULT_MAX_JUMP = 1_000_000_000;

export interface ReserveOptions extends RequestOptions {
  /**
   * An id known to have been reserved before. When given, the segment lies above it even if the store went
   * back: the store is raised, by a bounded amount. Give it only after a segment at or below it was seen.
   */
  readonly floor?: number;
  /**
   * Reserve only if the sequence's `maxId` is exactly this; otherwise reject with `SequenceMovedError` and
   * reserve nothing. So of any number of reservations that expect the same, at most one is made, however long
   * they waited for the store. A source that does not support it may ignore it. Ids that are skipped lie
   * between it and the segment. Not together with `floor`.
   */
  readonly expectedMaxId?: number;
  /**
   * How long the caller waits, in milliseconds above 0; no limit by default. The store is to give up before
   * that and reserve nothing, so that what its caller no longer waits for is not lost. A source that does not
   * support it may ignore it.
   */
  readonly timeoutMs?: number;
}

/** The central segment manager: ranges that never overlap, to anyone, ever. */
export interface SegmentSource {
  /**
   * Reads the sequence; rejects with `ERR_IDS_CONFIG` when there is none of that name: missing is not new.
   */
  describe(name: string, options?: RequestOptions): Promise<SequenceState>;
  /**
   * Reserves `size` ids, durably before it resolves. Rejects with `ERR_IDS_CONFIG` when there is no such
   * sequence, `ERR_IDS_EXHAUSTED` when fewer than `size` ids are left (in the group, if there are groups),
   * `ERR_IDS_REGRESSED` when `floor` lies further above the store than it heals, or the store may have lost
   * reservations and skips none by itself, `SequenceMovedError` when `expectedMaxId` is not met,
   * `ERR_IDS_UNAVAILABLE` when the store cannot be asked. After a rejection the range may or may not have
   * been used up; it is never given again.
   */
  reserve(name: string, size: number, options?: ReserveOptions): Promise<ReservedSegment>;
  /** Closes what the source opened itself. Idempotent. */
  close(): Promise<void>;
}

/** The errors that every segment source reports in the same words. */

export function noSuchSequence(name: string, where: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `there is no sequence ${JSON.stringify(name)} in ${where}; create it once with createSequence`,
  );
}

export function sequenceExhausted(name: string, size: number, cause?: unknown): IdError {
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `sequence ${JSON.stringify(name)}: fewer than ${size} ids are left up to the last one, ${LAST_ID}`,
    { cause },
  );
}

export function jumpTooFar(name: string, maxId: number, floor: number, maxJump: number): IdError {
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} stands at ${maxId}, but ids up to ${floor} were reserved before: more than the ` +
      `${maxJump} that are mended without being asked; find out why it went back, then use setFloor`,
  );
}

/**
 * A sequence was not at the `expectedMaxId` of a reservation, so nothing was reserved. The same call
 * can succeed with `maxId`.
 */
export class SequenceMovedError extends IdError {
  /** Where the sequence is. */
  readonly maxId: number;

  constructor(name: string, expectedMaxId: number, maxId: number) {
    super(
      'ERR_IDS_UNAVAILABLE',
      `sequence ${JSON.stringify(name)} is at ${maxId}, not at ${expectedMaxId} as expected: nothing was reserved`,
    );
    this.maxId = maxId;
  }
}

/**
 * The start-up probe of a dispenser: reads the sequence, or rejects with `ERR_IDS_TIMEOUT` after
 * `deadlineMs`. What the store is not set up to survive goes to `onEvent`.
 */
export async function describeWithin(
  source: SegmentSource,
  name: string,
  deadlineMs: number,
  onEvent?: SegmentListener,
): Promise<SequenceState> {
  const expired = (): IdError =>
    new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${deadlineMs} ms`);
  const sequence = await within(deadlineMs, undefined, expired, (signal) =>
    source.describe(name, { signal }),
  );
  const emit = guardedListener(onEvent);
  for (const message of sequence.warnings ?? []) emit({ type: 'warning', name, message });
  return sequence;
}

/**
 * Runs `work` for at most `ms` milliseconds, or until `parent` aborts, then aborts the signal it was given
 * and rejects. Work that pays no heed to its signal goes on by itself.
 */
export async function within<T>(
  ms: number,
  parent: AbortSignal | undefined,
  expired: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(expired()), ms);
  const abort = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', abort);
  try {
    return await abortable(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', abort);
  }
}
