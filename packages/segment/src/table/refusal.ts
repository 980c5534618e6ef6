import { IdError } from '@ids/core';
import { CHANGE_TEXT, type ReignChange, type Row, readWholeNumber } from '@ids/store';
import { GROUP_CAPACITY, type SequenceGroup } from '../groups/sequence-group.js';
import type { Segment } from '../segment.js';
import { jumpTooFar, type SequenceState } from '../segment-source.js';

/** A reservation that matched no row. */
export interface RefusedReservation {
  readonly name: string;
  readonly size: number;
  readonly floor: number | undefined;
  readonly maxJump: number;
}

/** Why a reservation matched no row, according to a row that was read after it. */
export function refusedReservation(refused: RefusedReservation, row: Row, sequence: SequenceState): IdError {
  const { name, size, floor = 0, maxJump } = refused;
  const { maxId, group } = sequence;
  if (group === undefined)
    return floor > maxId + maxJump ? jumpTooFar(name, maxId, floor, maxJump) : tooLate(name);
  const standsAt = readWholeNumber(row.stands_at, 'stands_at');
  const start = Math.max(standsAt, floor);
  if (start >= readWholeNumber(row.group_limit, 'group_limit')) return aheadOfClock(name, start, group);
  if (floor > standsAt + maxJump) return jumpTooFar(name, standsAt, floor, maxJump);
  const capacity = GROUP_CAPACITY[group.by];
  const left = capacity - 1 - (start % capacity);
  if (left >= size) return tooLate(name);
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `sequence ${JSON.stringify(name)}: ${left} of ${capacity - 1} ids are left in the ${group.by} ${Math.floor(start / capacity)}, ${size} were requested`,
  );
}

/**
 * Nothing prevents it now: the caller's time was over when the row could be locked, or the row has changed
 * since.
 */
export function tooLate(name: string): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `sequence ${JSON.stringify(name)}: its row was locked for too long, or changed at that moment; nothing was reserved`,
  );
}

function aheadOfClock(name: string, start: number, { by, timeZone }: SequenceGroup): IdError {
  const group = Math.floor(start / GROUP_CAPACITY[by]);
  return new IdError(
    'ERR_IDS_CLOCK',
    `sequence ${JSON.stringify(name)} is in the ${by} ${group}, which has not begun by the database's clock in ${timeZone}: that clock is or was wrong`,
  );
}

/**
 * Throws unless a reservation is above where its row stood. The server has already changed the row, so this
 * is about a trigger or a rule of somebody else that puts `max_id` back.
 */
export function assertAbove(name: string, { low, high }: Segment, was: number, table: string): void {
  if (low > was) return;
  throw new IdError(
    'ERR_IDS_CONFIG',
    `sequence ${JSON.stringify(name)} of table ${table}: ${low}..${high} was returned, but it was at ${was} before: a trigger or a rule of the table changes max_id`,
  );
}

/** A regression lost nobody knows how many ids, and `afterRestore` refuses to skip some. */
export function regressionRefused(name: string, table: string, maxId: number, floor: number): IdError {
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} of table ${table} is at ${maxId}, but ids up to ${floor} were reserved before, and ids above it may have been issued; ` +
      'stop all processes that take ids from it, find the highest id that was issued, then use setFloor',
  );
}

/** Why a reservation after a change of the reign is not made: `skip` ids do not fit; null: it is refused. */
export function newReignRefused(
  name: string,
  table: string,
  change: ReignChange,
  skip: number | null,
): IdError {
  const why =
    skip === null ? 'ids above it may have been issued' : `the ${skip} ids to skip do not fit in the group`;
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} of table ${table}: ${CHANGE_TEXT[change]}, and ${why}; stop all processes that take ids from it, and the server that was used before, if it still answers; find the highest id that was issued, then use setFloor with checked: true`,
  );
}
