import { IdError } from '@ids/core';
import { GROUP_CAPACITY, inOneGroup, LAST_ID, type OpenGroup } from '@ids/segment';
import { CHANGE_TEXT, type ReignChange, type Skips } from '@ids/store';
import { type KeyAnswer, type KeyRequest, keyExhausted, sequenceOf } from '../keyed-source.js';
import { type KeyLoss, keySkipAfter, skipIfBelow } from './options.js';

/** How often a family may change its reign while one call is made. */
export const CROSSINGS = 3;

/**
 * How long a statement for many keys waits for a key that somebody else is just making, in milliseconds: it
 * cannot skip that one.
 */
export const BIRTH_MS = 100;

export const LOCKED: KeyAnswer = { missed: 'locked' };

/** Where a key stands: in its row, or where new keys start; at least at the beginning of the group. */
export interface KeyState extends KeyLoss {
  readonly maxId: number;
  /** How far above that a new one starts. */
  readonly startAfter?: number | undefined;
  /** The change of the reign that its next reservation would detect. */
  readonly change?: ReignChange | undefined;
}

/** Why a key got no ids although its row was waited for. `group`: that of its family which is now. */
export function whyNone(
  family: string,
  request: KeyRequest,
  { maxId: highest, startAfter = 0, change, ...lost }: KeyState,
  skips: Skips,
  group?: OpenGroup,
): KeyAnswer {
  const { key, size, floor = 0 } = request;
  const maxId = highest + startAfter;
  // What was lost of earlier groups does not matter.
  const loss = group === undefined ? lost : { ...lost, seconds: 0 };
  const skip = keySkipAfter(change, skips, loss);
  if (skip === null) return { refused: reignRefused(family, key, change ?? 'failover') };
  const below = floor > maxId ? skipIfBelow(skips) : 0;
  if (below === null) return { refused: regressionRefused(family, key, maxId, floor) };
  const above = Math.max(maxId, floor + below) + skip;
  const refused =
    group !== undefined
      ? startAfter > 0 && !inOneGroup(group, highest, startAfter)
        ? groupExhausted(family, request, 0, highest, group)
        : groupRefused(family, request, Math.max(maxId, floor), above, group)
      : above > LAST_ID - size
        ? keyExhausted(family, request)
        : undefined;
  // Otherwise somebody else has made it, or its reservation, at that moment.
  return refused === undefined ? LOCKED : { refused };
}

/** Why `request` does not fit in the group; `above`: what is skipped is between it and `start`. */
function groupRefused(
  family: string,
  request: KeyRequest,
  start: number,
  above: number,
  group: OpenGroup,
): IdError | undefined {
  const [of, shown] = [sequenceOf(family, request.key), shownGroup(start, group)];
  if (start >= group.limit) {
    return new IdError(
      'ERR_IDS_CLOCK',
      `${of}: it is in ${shown}, which has not begun by the database's clock in ${group.timeZone}: that clock is or was wrong`,
    );
  }
  const left = GROUP_CAPACITY[group.by] - 1 - (start % GROUP_CAPACITY[group.by]);
  if (left < request.size) return groupExhausted(family, request, left, start, group);
  if (inOneGroup(group, above, request.size)) return undefined;
  return new IdError(
    'ERR_IDS_REGRESSED',
    `${of}: the database may have lost ids of it, and the ${above - start} ids to skip do not fit in ${shown}; it goes on in the next one`,
  );
}

/** `left` ids of the group of `id` are left. */
function groupExhausted(
  family: string,
  { key, size }: KeyRequest,
  left: number,
  id: number,
  group: OpenGroup,
): IdError {
  const most = GROUP_CAPACITY[group.by] - 1;
  return new IdError(
    'ERR_IDS_EXHAUSTED',
    `${sequenceOf(family, key)}: ${left} of ${most} ids are left in ${shownGroup(id, group)}, ${size} were requested`,
  );
}

/** For messages: `the day 20261124`. */
function shownGroup(id: number, { by }: OpenGroup): string {
  return `the ${by} ${Math.floor(id / GROUP_CAPACITY[by])}`;
}

const ANOTHER =
  'ids above it may have been issued; stop all processes that take ids of it, find the greatest one that was issued, and pass it to raiseKey with checked: true';

function reignRefused(family: string, key: string, change: ReignChange): IdError {
  return new IdError(
    'ERR_IDS_REGRESSED',
    `${sequenceOf(family, key)}: ${CHANGE_TEXT[change]}, and ${ANOTHER}`,
  );
}

function regressionRefused(family: string, key: string, maxId: number, floor: number): IdError {
  return new IdError(
    'ERR_IDS_REGRESSED',
    `${sequenceOf(family, key)} is at ${maxId}, but ids up to ${floor} were reserved before, and ${ANOTHER}`,
  );
}

export function noSuchKey(family: string, key: string, table: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `${sequenceOf(family, key)} has no ids in table ${table}`);
}

export function unsettled(family: string, table: string): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `sequence ${JSON.stringify(family)} of table ${table} changes its reign again and again: several servers answer`,
  );
}
