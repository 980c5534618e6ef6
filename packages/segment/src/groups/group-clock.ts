import { GROUP_CAPACITY, type GroupUnit, isFixedOffset, type SequenceGroup } from './sequence-group.js';

/*
 * Groups by the clock of a server that this process has read. Only of UTC and fixed offsets: a name of a zone
 * means what the tables of somebody say.
 */

/** The group in which a reservation is made, by the server's clock. */
export interface OpenGroup extends SequenceGroup {
  /** The id before the first one of the group that is now. */
  readonly base: number;
  /** The first id that is too far ahead of the clock. */
  readonly limit: number;
}

/** As on Postgres: how far the table may be ahead of the server's clock. */
export const CLOCK_TOLERANCE_MS = 60_000;

const UTC_NAMES = ['UTC', 'Etc/UTC', 'GMT', 'Etc/GMT'];

/** Whether a zone never changes its clocks. */
export function isSteadyZone(timeZone: string): boolean {
  return isFixedOffset(timeZone) || UTC_NAMES.includes(timeZone);
}

/** The group to which `now` belongs, in milliseconds since 1970 by the server's clock. */
export function groupAt(group: SequenceGroup, now: number): OpenGroup {
  const capacity = GROUP_CAPACITY[group.by];
  return {
    ...group,
    base: numberAt(group, now) * capacity,
    limit: (numberAt(group, now + CLOCK_TOLERANCE_MS) + 1) * capacity,
  };
}

/** Whether `size` ids above `start` are in one group that has begun. */
export function inOneGroup(
  { by, limit }: Pick<OpenGroup, 'by' | 'limit'>,
  start: number,
  size: number,
): boolean {
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

/** How far the clocks of a steady zone are ahead of UTC. */
export function offsetMs(timeZone: string): number {
  if (!isFixedOffset(timeZone)) return 0;
  const [hours = 0, minutes = 0, seconds = 0] = timeZone.slice(1).split(':').map(Number);
  return (timeZone.startsWith('-') ? -1_000 : 1_000) * (3_600 * hours + 60 * minutes + seconds);
}
