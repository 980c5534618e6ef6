import { IdError, type RequestOptions } from '@ids/core';
import {
  assertIdBound,
  assertSequenceName,
  type Origin,
  type Pace,
  type Reigns,
  type Skipped,
} from '@ids/store';
import { guardedListener, withTimeout } from '@ids/waiting';
import type { SegmentEvent } from './events.js';
import type { SequenceGroup } from './groups/sequence-group.js';
import { assertSegmentSize, LAST_ID, type Segment } from './segment.js';

/** What a source knows about one sequence. */
export interface SequenceState {
  /** Identifies this sequence, as opposed to one of the same name elsewhere or after a re-creation. */
  readonly realm: string;
  /** The last id reserved by anyone; 0 if there is none. */
  readonly maxId: number;
  /** Present if the sequence restarts in each day, month or year. */
  readonly group?: SequenceGroup;
  /** The reigns in which the row was written. Absent: none, or the source does not know. */
  readonly reigns?: Reigns | undefined;
  /** What the next reservation would notice, and skip ids or be refused for. */
  readonly pending?: NewReign['cause'];
  /** Whether the next reservation is refused for `pending`, until `setFloor` is called with `checked`. */
  readonly refused?: boolean;
  /** When ids were reserved, and how fast at most. Absent: the source does not know. */
  readonly pace?: Pace | undefined;
  /** What the store is not set up to survive, one sentence each. Ids are unique unless it happens. */
  readonly warnings?: readonly string[];
}

/**
 * A store was found to have another history than at the previous reservation: a standby took over, or a
 * backup was restored.
 */
export interface NewReign extends Skipped {
  readonly cause: 'failover' | 'restore';
}

export interface ReservedSegment extends Segment {
  /** Where it was reserved; undefined if the source does not know. */
  readonly origin?: Origin;
  /** Present on the one reservation that detected it. */
  readonly newReign?: NewReign;
  /**
   * The reading of `performance.now()` from which on the ids must not be issued, because the day, month or
   * year in them is over. Absent: never. It is based on the store's clock, and early by at most one round
   * trip.
   */
  readonly expiresAt?: number;
}

/** How many ids a source raises a sequence that went back, before it needs a human. */
export const DEFAULT_MAX_JUMP = 1_000_000_000;

export interface ReserveOptions extends RequestOptions {
  /**
   * An id known to have been reserved before. The segment is above it even if the store went back: then the
   * store is raised, within limits, and above what it may have lost besides. Pass it only after a segment at
   * or below it was seen.
   */
  readonly floor?: number;
  /**
   * Where the caller has seen the sequence. Reserve only if its row is of this realm and of exactly these
   * reigns; otherwise reject with `SequenceMovedError` and reserve nothing. The statement may have reached a
   * former primary, whose row must not run into what its successor issues: neither by a floor, nor by callers
   * that refuse each segment and ask for another one. What is left out is not compared, and a source that
   * does not know it may ignore it.
   */
  readonly within?: Origin | undefined;
  /**
   * Reserve only if the sequence's `maxId` is exactly this; otherwise reject with `SequenceMovedError` and
   * reserve nothing. So of any number of reservations that expect the same value, at most one is made,
   * however long they waited for the store. A source that does not support it may ignore it. Ids that are
   * skipped are between it and the segment. Not together with `floor`.
   */
  readonly expectedMaxId?: number;
  /**
   * How long the caller waits, in milliseconds, above 0; no limit by default. The store should give up before
   * that and reserve nothing, so that no ids are lost. A source that does not support it may ignore it.
   */
  readonly timeoutMs?: number;
}

/** A former primary that was refused for so long that it has become the primary again. */
export interface FormerPrimary {
  /** Its row, as it was refused. */
  readonly within: Origin;
  /** The reigns that followed those in the row, as far as the caller knows them, the latest first. */
  readonly follows: Reigns;
  /** The greatest id that the caller knows to be reserved in any of them. */
  readonly floor: number;
}

export interface ReinstateOptions extends FormerPrimary, RequestOptions {
  /** As in `ReserveOptions`. */
  readonly timeoutMs?: number | undefined;
}

/** What became of the row of a former primary. */
export interface Reinstated {
  readonly origin: Origin;
  /** Its last id now. Nothing was reserved. */
  readonly maxId: number;
  /** How many ids below it were skipped, because those reigns may have reserved more than anybody knows. */
  readonly skipped: number;
}

/** Throws unless `reserve` accepts these: an `IdError` for the name, a `RangeError` for a number. */
export function assertReservable(
  name: string,
  size: number,
  {
    floor,
    expectedMaxId,
  }: { readonly floor: number | undefined; readonly expectedMaxId: number | undefined },
): void {
  assertSequenceName(name);
  assertSegmentSize(size);
  if (floor !== undefined) assertIdBound('floor', floor);
  if (expectedMaxId !== undefined) assertIdBound('expectedMaxId', expectedMaxId);
}

/** A central store of sequences. The ranges that it reserves never overlap, whichever process asks. */
export interface SegmentSource {
  /**
   * Reads a sequence. Rejects with `ERR_IDS_CONFIG` if there is none of that name: missing is not the same as
   * new.
   */
  describe(name: string, options?: RequestOptions): Promise<SequenceState>;
  /**
   * Reserves `size` ids, durably before it resolves. Rejects with
   *
   * - `ERR_IDS_CONFIG` if there is no such sequence,
   * - `ERR_IDS_EXHAUSTED` if fewer than `size` ids are left (in the group, if there are groups),
   * - `ERR_IDS_REGRESSED` if `floor` is too far above the store, or if the store may have lost reservations
   *   and does not skip ids by itself,
   * - `SequenceMovedError` if `expectedMaxId` or `within` does not match,
   * - `ERR_IDS_UNAVAILABLE` if the store cannot be reached.
   *
   * After a rejection the range may or may not have been reserved; it is never returned later.
   */
  reserve(name: string, size: number, options?: ReserveOptions): Promise<ReservedSegment>;
  /**
   * Makes a former primary the primary again, in one statement: raises its row above `floor`, and as far
   * above it as after a failover for each reign in `follows`, and once more; and puts a new reign in front of
   * them, so that other processes go on as well. Undefined, and nothing is changed, unless the row
   * is exactly the one in `within`: somebody has done it before, or another server answered. Also undefined
   * where ids must not be skipped without a human. A source that cannot do it leaves it out: a former primary
   * is then refused for as long as it answers.
   */
  reinstate?(name: string, options: ReinstateOptions): Promise<Reinstated | undefined>;
  /** Closes what the source opened itself. Idempotent. */
  close(): Promise<void>;
}

// The errors that every source reports in the same words.

export function noSuchSequence(name: string, where: string): IdError {
  return new IdError(
    'ERR_IDS_CONFIG',
    `there is no sequence ${JSON.stringify(name)} in ${where}; create it once with createSequence, and if it was lost, with startAfter above all IDs that were issued`,
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
    `sequence ${JSON.stringify(name)} is at ${maxId}, but ids up to ${floor} were reserved before: that is more than ` +
      `the ${maxJump} ids that are skipped automatically; find out why it went back, then use setFloor`,
  );
}

export function sourceTooSlow(name: string, ms: number): IdError {
  return new IdError('ERR_IDS_TIMEOUT', `sequence "${name}": its source did not answer within ${ms} ms`);
}

/**
 * A sequence was not at the `expectedMaxId` of a reservation, or not of the origin in `within`, so nothing
 * was reserved. The same call can succeed with `maxId`, and with the origin in `found`.
 */
export class SequenceMovedError extends IdError {
  /** Where the sequence is. */
  readonly maxId: number;
  /** Whether that is not at `expectedMaxId`. Otherwise it is of another origin. */
  readonly isElsewhere: boolean;
  /** Where that was read. */
  readonly found: Origin;
  /**
   * Whether the next reservation there begins a reign: the one in `found` is then over, but that server may
   * be the one that follows it.
   */
  readonly beginsReign: boolean;

  constructor(
    name: string,
    expectedMaxId: number | undefined,
    maxId: number,
    { realm, reigns }: Origin = {},
    beginsReign = false,
  ) {
    const isElsewhere = expectedMaxId !== undefined && expectedMaxId !== maxId;
    const what = isElsewhere
      ? `is at ${maxId}, not at ${expectedMaxId} as expected`
      : `is of another reign than expected (${reigns?.[0] ?? 'none'})`;
    super('ERR_IDS_UNAVAILABLE', `sequence ${JSON.stringify(name)} ${what}: nothing was reserved`);
    this.maxId = maxId;
    this.isElsewhere = isElsewhere;
    this.found = { realm, reigns };
    this.beginsReign = beginsReign;
  }
}

/**
 * The check of a dispenser at start-up: reads the sequence, or rejects with `ERR_IDS_TIMEOUT` after
 * `deadlineMs`. The warnings of the store go to `onEvent`.
 */
export async function describeWithin(
  source: Pick<SegmentSource, 'describe'>,
  name: string,
  deadlineMs: number,
  onEvent?: (event: Extract<SegmentEvent, { readonly type: 'warning' }>) => void,
): Promise<SequenceState> {
  const sequence = await withTimeout(
    deadlineMs,
    undefined,
    () => sourceTooSlow(name, deadlineMs),
    (signal) => source.describe(name, { signal }),
  );
  const emit = guardedListener(onEvent);
  for (const message of sequence.warnings ?? []) emit({ type: 'warning', name, message });
  return sequence;
}

export function isSegmentSource(value: unknown): value is SegmentSource {
  if (typeof value !== 'object' || value === null) return false;
  const { describe, reserve, close } = value as Partial<SegmentSource>;
  return [describe, reserve, close].every((method) => typeof method === 'function');
}
