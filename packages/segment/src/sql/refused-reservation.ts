import { IdError } from '@ids/core';
import type { Sequence } from '../segment-source.js';
import { GROUP_CAPACITY, type SequenceGroup } from '../sequence-group.js';
import { jumpTooFar } from '../source-errors.js';
import { type Row, readBigint } from './read-row.js';

/** A reservation that matched no row. */
export interface RefusedReservation {
  readonly name: string;
  readonly size: number;
  readonly floor: number | undefined;
  readonly maxJump: number;
}

/** Why a reservation matched no row, from what `describe` gave after it. */
export function refusedReservation(refused: RefusedReservation, row: Row, sequence: Sequence): IdError {
  const { name, size, floor = 0, maxJump } = refused;
  const { maxId, group } = sequence;
  if (group === undefined)
    return floor > maxId + maxJump ? jumpTooFar(name, maxId, floor, maxJump) : tooLate(name);
  const standsAt = readBigint(row.stands_at);
  const start = Math.max(standsAt, floor);
  if (start >= readBigint(row.group_limit)) return aheadOfClock(name, start, group);
  if (floor > standsAt + maxJump) return jumpTooFar(name, standsAt, floor, maxJump);
  const capacity = GROUP_CAPACITY[group.by];
  const left = capacity - 1 - (start % capacity);
  if (left >= size) return tooLate(name);
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `sequence ${JSON.stringify(name)}: ${left} of ${capacity - 1} ids are left in the ${group.by} ${Math.floor(start / capacity)}, ${size} were asked for`,
  );
}

/**
 * Nothing stands in the way now: the caller's time was over when the row could be locked, or
 * something has changed since.
 */
function tooLate(name: string): IdError {
  return new IdError(
    'ERR_IDS_TIMEOUT',
    `sequence ${JSON.stringify(name)}: somebody held a lock for too long, or it was changed at this moment, and nothing was reserved`,
  );
}

function aheadOfClock(name: string, start: number, { by, timeZone }: SequenceGroup): IdError {
  const group = Math.floor(start / GROUP_CAPACITY[by]);
  return new IdError(
    'ERR_IDS_CLOCK',
    `sequence ${JSON.stringify(name)} stands in the ${by} ${group}, which has not begun by the database's clock in ${timeZone}: that clock is or was wrong`,
  );
}
