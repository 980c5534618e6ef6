import { GROUP_CAPACITY, isFixedOffset, type SequenceGroup } from '../sequence-group.js';

/**
 * How far the table may stand ahead of the server's clock, since clocks of a primary and its successor differ: the later
 * group then goes on, because ids only rise. Further ahead, a clock was wrong.
 */
const CLOCK_TOLERANCE = `interval '1 minute'`;

const FORMAT = `CASE group_by WHEN 'day' THEN 'YYYYMMDD' WHEN 'month' THEN 'YYYYMM' WHEN 'year' THEN 'YYYY' END`;
const CAPACITY = `CASE group_by ${Object.entries(GROUP_CAPACITY)
  .map(([by, capacity]) => `WHEN '${by}' THEN ${capacity}::bigint`)
  .join(' ')} END`;

/** The id before the first one of the group at an instant. All expressions here are null for a sequence without groups. */
function baseAt(instant: string): string {
  return `rpad(to_char(${instant} AT TIME ZONE time_zone, ${FORMAT}), 16, '0')::bigint`;
}

/** Where the next segment starts: GREATEST overlooks nulls. `now()` is the statement's start, by the server's clock. */
export function highestOf(...marks: readonly string[]): string {
  return `GREATEST(${['max_id', ...marks, baseAt('now()')].join(', ')})`;
}

/** The id from which on the table stands too far ahead of the clock. */
export const GROUP_LIMIT = `${baseAt(`(now() + ${CLOCK_TOLERANCE})`)} + ${CAPACITY}`;

/** Whether `size` ids above `start` all lie in one group, and that is not one of the future. */
export function fitsGroup(start: string, size: string): string {
  return `(group_by IS NULL
  OR ${start} < ${GROUP_LIMIT} AND ${start} / (${CAPACITY}) = (${start} + ${size}) / (${CAPACITY}))`;
}

/** Milliseconds from the statement's start to the end of the group in which `max_id` lies. */
export const GROUP_LEFT_MS = `floor(1000 * extract(epoch FROM
  ((to_date((max_id / (${CAPACITY}))::text, ${FORMAT}) + ('1 ' || group_by)::interval) AT TIME ZONE time_zone) - now()))`;

/** The zone as Postgres writes it, where the sign of an offset has the meaning of POSIX: west is positive. */
export function postgresZone({ timeZone }: SequenceGroup): string {
  if (!isFixedOffset(timeZone)) return timeZone;
  return `<${timeZone}>${timeZone.startsWith('+') ? '-' : '+'}${timeZone.slice(1)}`;
}

export function zoneOfPostgres(timeZone: string): string {
  return /^<([^>]+)>/.exec(timeZone)?.[1] ?? timeZone;
}
