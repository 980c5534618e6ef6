import { GROUP_CAPACITY, isFixedOffset, type SequenceGroup } from './sequence-group.js';

/**
 * How far the table may stand ahead of the server's clock, since clocks of a primary and its successor
 * differ: the later group then goes on, because ids only rise. Further ahead, a clock was wrong.
 */
const CLOCK_TOLERANCE = `interval '1 minute'`;

const FORMAT = `CASE group_by WHEN 'day' THEN 'YYYYMMDD' WHEN 'month' THEN 'YYYYMM' WHEN 'year' THEN 'YYYY' END`;
const CAPACITY = `CASE group_by ${Object.entries(GROUP_CAPACITY)
  .map(([by, capacity]) => `WHEN '${by}' THEN ${capacity}::bigint`)
  .join(' ')} END`;

/**
 * The id before the first one of the group at an instant. All expressions here are null for a
 * sequence without groups.
 */
function baseAt(instant: string): string {
  return `rpad(to_char(${instant} AT TIME ZONE time_zone, ${FORMAT}), 16, '0')::bigint`;
}

/**
 * Where the next segment starts: GREATEST overlooks nulls. `now()` is the statement's
 * start, by the server's clock.
 */
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

/** Midnight of the first day after the group in which `max_id` lies, by the clocks of its zone. */
const NEXT_MIDNIGHT = `to_date((max_id / (${CAPACITY}))::text, ${FORMAT}) + ('1 ' || group_by)::interval`;

/**
 * The instant at which clocks show `midnight` if their offset is the one of the zone
 * `hours` later than `read_as`.
 */
function midnightWithOffsetOf(hours: number): string {
  const instant = `(read_as + interval '${hours} hours')`;
  return `(midnight - (${instant} AT TIME ZONE time_zone - ${instant} AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC'`;
}

/**
 * The end of the group in which `max_id` lies: the first instant with a later date in its zone. `AT TIME
 * ZONE` alone does not give it: where clocks are set back over midnight, it takes the second of two
 * midnights; where they are set forward from before midnight, it takes an instant after the shift. So
 * midnight is read with the offset before a shift and with the offset after it. The end is the first of these
 * at which clocks do show midnight; if neither, the shift itself.
 */
export const GROUP_END = `(SELECT CASE
    WHEN before_shift AT TIME ZONE time_zone = midnight THEN before_shift
    WHEN after_shift AT TIME ZONE time_zone = midnight THEN after_shift
    ELSE (SELECT min(minute) FROM generate_series(after_shift, before_shift, interval '1 minute') minute
      WHERE minute AT TIME ZONE time_zone >= midnight)
  END
  FROM (
    SELECT midnight, ${midnightWithOffsetOf(-24)} AS before_shift, ${midnightWithOffsetOf(24)} AS after_shift
    FROM (SELECT midnight, midnight AT TIME ZONE time_zone AS read_as FROM (SELECT ${NEXT_MIDNIGHT} AS midnight) m) r
  ) s)`;

/** Milliseconds from the statement's start to the end of the group in which `max_id` lies. */
export const GROUP_LEFT_MS = `floor(1000 * extract(epoch FROM ${GROUP_END} - now()))`;

/** The zone as Postgres writes it, where the sign of an offset has the meaning of POSIX: west is positive. */
export function postgresZone({ timeZone }: SequenceGroup): string {
  if (!isFixedOffset(timeZone)) return timeZone;
  return `<${timeZone}>${timeZone.startsWith('+') ? '-' : '+'}${timeZone.slice(1)}`;
}

export function zoneOfPostgres(timeZone: string): string {
  return /^<([^>]+)>/.exec(timeZone)?.[1] ?? timeZone;
}
