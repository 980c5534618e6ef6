import { IdError } from '@ids/core';
import {
  GROUP_CAPACITY,
  type GroupUnit,
  isFixedOffset,
  type SequenceGroup,
} from '../groups/sequence-group.js';
import type { OpenGroup } from './statements.js';

/*
 * Groups, by the server's clock. Only fixed offsets: a name of a zone means what the tables of the server
 * say, which are empty unless somebody has loaded them, and a replica may have others.
 */

/** As on Postgres: how far the table may be ahead of the server's clock. */
const CLOCK_TOLERANCE_MS = 60_000;

const UTC_NAMES = ['UTC', 'Etc/UTC', 'GMT', 'Etc/GMT'];

/** Why groups in this zone are refused; undefined if they are not. */
export function zoneProblem({ timeZone }: SequenceGroup): IdError | undefined {
  if (isFixedOffset(timeZone) || UTC_NAMES.includes(timeZone)) return undefined;
  return new IdError(
    'ERR_IDS_CONFIG',
    `option "group": "timeZone" must be "UTC" or an offset such as "+08:00" on MySQL, got "${timeZone}"; ` +
      'for a zone that changes its clocks, keep the sequence in Postgres',
  );
}

/** The group that is at `now`, in milliseconds since 1970 by the server's clock. */
export function groupAt(group: SequenceGroup, now: number): OpenGroup {
  const capacity = GROUP_CAPACITY[group.by];
  return {
    ...group,
    base: numberAt(group, now) * capacity,
    limit: (numberAt(group, now + CLOCK_TOLERANCE_MS) + 1) * capacity,
  };
}

/** Whether `size` ids above `start` are in one group that has begun. */
export function inOneGroup({ by, limit }: OpenGroup, start: number, size: number): boolean {
  const capacity = GROUP_CAPACITY[by];
  return start < limit && Math.floor(start / capacity) === Math.floor((start + size) / capacity);
}

/** The end of the group that contains an id, in milliseconds since 1970. */
export function endOfGroup({ by, timeZone }: SequenceGroup, id: number): number {
  const text = String(Math.floor(id / GROUP_CAPACITY[by]));
  const part = (from: number, length: number): number => Number(text.slice(from, from + length) || 1);
  const [year, month, day] = [part(0, 4), part(4, 2), part(6, 2)];
  const next: Readonly<Record<GroupUnit, number>> = {
    day: Date.UTC(year, month - 1, day + 1),
    month: Date.UTC(year, month),
    year: Date.UTC(year + 1, 0),
  };
  return next[by] - offsetMs(timeZone);
}

const DIGITS: Readonly<Record<GroupUnit, number>> = { day: 8, month: 6, year: 4 };

/** The date of the group: 20261121, 202611 or 2026. */
function numberAt({ by, timeZone }: SequenceGroup, now: number): number {
  const date = new Date(now + offsetMs(timeZone)).toISOString().slice(0, 10).replaceAll('-', '');
  return Number(date.slice(0, DIGITS[by]));
}

function offsetMs(timeZone: string): number {
  if (!isFixedOffset(timeZone)) return 0;
  const [hours = 0, minutes = 0, seconds = 0] = timeZone.slice(1).split(':').map(Number);
  return (timeZone.startsWith('-') ? -1_000 : 1_000) * (3_600 * hours + 60 * minutes + seconds);
}
