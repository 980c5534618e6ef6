import type { IdError } from '@ids/core';
import {
  isWithin,
  type Origin,
  type ReignChange,
  type RowLoss,
  type Skipped,
  type Skips,
  skippedAfter,
  skippedByHeirs,
} from '@ids/store';
import { inOneGroup, type OpenGroup } from '../groups/group-clock.js';
import { GROUP_CAPACITY } from '../groups/sequence-group.js';
import { LAST_ID } from '../segment.js';
import { SequenceMovedError, type SequenceState, sequenceExhausted } from '../segment-source.js';
import {
  newReignRefused,
  type RefusedReservation,
  refusedReservation,
  regressionRefused,
} from './refusal.js';

/*
 * Where one statement cannot say why it reserves nothing, the row is read first, and the statement relies on
 * what was read.
 */

/** The segment that a caller wants. */
export interface WantedSegment extends RefusedReservation {
  /** How many ids to skip if the row is below the floor; null to refuse. */
  readonly loss: number | null;
  /** The `max_id` that it must follow. */
  readonly expectedMaxId: number | undefined;
  /** Where the row must be from, as in `ReserveOptions`. */
  readonly within: Origin | undefined;
}

/** A change of the reign that was read, and what to skip for it. */
export interface FoundChange extends Skipped {
  readonly cause: ReignChange;
}

/** A row that was read. */
export interface FoundRow {
  readonly table: string;
  readonly sequence: SequenceState;
  readonly cause: ReignChange | undefined;
  /** What it may have lost; by default, nothing is known. */
  readonly loss?: RowLoss | undefined;
}

/** Throws a `SequenceMovedError` unless a row is where, and from where, the caller expects it. */
export function assertExpected(
  { name, expectedMaxId, within }: Pick<WantedSegment, 'name' | 'expectedMaxId' | 'within'>,
  { sequence, cause }: Pick<FoundRow, 'sequence' | 'cause'>,
): void {
  const { maxId } = sequence;
  if ((expectedMaxId === undefined || maxId === expectedMaxId) && isWithin(sequence, within)) return;
  throw new SequenceMovedError(name, expectedMaxId, maxId, sequence, cause !== undefined);
}

/**
 * Throws if a reservation must not be made from the row. Returns the change that it detects; undefined in the
 * same reign.
 */
export function changeToCross(
  { name, floor = 0, loss: ifBelow }: Pick<WantedSegment, 'name' | 'floor' | 'loss'>,
  { table, sequence, cause, loss }: FoundRow,
  skips: Skips,
): FoundChange | undefined {
  const skipped = cause && skippedAfter(cause, skips, loss);
  if (cause !== undefined && !skipped) throw newReignRefused(name, table, cause, null);
  if (floor > sequence.maxId && ifBelow === null) throw regressionRefused(name, table, sequence.maxId, floor);
  return cause && skipped ? { cause, ...skipped } : undefined;
}

/**
 * How far a floor may be above a row that was read, of at most `maxJump` ids for which nothing else accounts:
 * if a reign began from it, or will now, callers may know ids of another heir of the same row.
 */
export function jumpAllowed(maxJump: number, { sequence, cause, loss }: FoundRow, skips: Skips): number {
  const hasHeirs = cause !== undefined || (sequence.reigns?.length ?? 0) > 1;
  return hasHeirs ? maxJump + skippedByHeirs(skips, loss ?? {}) : maxJump;
}

/** How many ids there are above one, in its group or in the range, and how many that has. */
export function roomAbove(id: number, { group }: SequenceState): Required<Pick<RowLoss, 'left' | 'range'>> {
  if (group === undefined) return { left: LAST_ID - id, range: LAST_ID };
  const range = GROUP_CAPACITY[group.by];
  return { left: range - 1 - (id % range), range };
}

/**
 * Throws why a row that was read allows no reservation. If it does allow it, returns the error for a
 * statement that came too late, or for a row that has changed since.
 */
export function whyNoRow(
  wanted: Omit<WantedSegment, 'expectedMaxId' | 'within'>,
  { table, sequence }: FoundRow,
  group: OpenGroup | undefined,
  change: FoundChange | undefined,
): IdError {
  const { name, size, floor = 0, loss } = wanted;
  const highest = Math.max(sequence.maxId, group?.base ?? 0);
  const start = Math.max(highest, floor) + Math.max(change?.skipped ?? 0, floor > highest ? (loss ?? 0) : 0);
  const standing = { stands_at: highest, group_limit: group?.limit };
  const refused = refusedReservation(wanted, standing, sequence);
  if (refused.code !== 'ERR_IDS_TIMEOUT') throw refused;
  if (group === undefined && start > LAST_ID - size) throw sequenceExhausted(name, size);
  // There would be room without the ids that are skipped.
  if (group !== undefined && change !== undefined && !inOneGroup(group, start, size)) {
    throw newReignRefused(name, table, change.cause, change.skipped);
  }
  return refused;
}
