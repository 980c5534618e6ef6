import type { Row } from '@ids/store';
import { GROUP_CAPACITY, isFixedOffset, isGroupUnit, type SequenceGroup } from '../groups/sequence-group.js';

/** The parts of a reservation that depend on whether its sequence has groups. */
export interface GroupTerms {
  /** The id after which the next segment starts: the greatest of `max_id` and `marks`. */
  highestOf(...marks: readonly string[]): string;
  /** The condition for `size` ids above `start` to be reserved. */
  fits(start: string, size: string): string;
  /** Milliseconds from the start of the statement until the reserved ids expire; null: never. */
  readonly leftMs: string;
}

/**
 * For a sequence that had no groups when it was last read. If it has been given groups since, the condition
 * is false and nothing is reserved.
 */
export const UNGROUPED: GroupTerms = {
  highestOf: (...marks) => (marks.length === 0 ? 'max_id' : `GREATEST(${['max_id', ...marks].join(', ')})`),
  fits: () => 'group_by IS NULL',
  leftMs: 'NULL',
};

/**
 * How far the table may be ahead of the server's clock, because the clocks of a primary and its successor
 * differ: the later group then continues, since ids only increase. If it is further ahead, a clock was wrong.
 */
const CLOCK_TOLERANCE = `interval '1 minute'`;

const FORMAT = `CASE group_by WHEN 'day' THEN 'YYYYMMDD' WHEN 'month' THEN 'YYYYMM' WHEN 'year' THEN 'YYYY' END`;

const CAPACITY = `CASE group_by ${Object.entries(GROUP_CAPACITY)
  .map(([by, capacity]) => `WHEN '${by}' THEN ${capacity}::bigint`)
  .join(' ')} END`;

/** The id before the first one of the group at an instant; null for a sequence without groups. */
function baseAt(instant: string): string {
  return `rpad(to_char(${instant} AT TIME ZONE time_zone, ${FORMAT}), 16, '0')::bigint`;
}

/**
 * The id after which the next segment starts, for a sequence with or without groups: GREATEST ignores nulls.
 * `now()` is the start of the statement, by the server's clock.
 */
export function highestOf(...marks: readonly string[]): string {
  return `GREATEST(${['max_id', ...marks, baseAt('now()')].join(', ')})`;
}

/** The first id that is too far ahead of the clock. */
export const GROUP_LIMIT = `${baseAt(`(now() + ${CLOCK_TOLERANCE})`)} + ${CAPACITY}`;

/** Midnight of the first day after the group that contains an id, by the clocks of its zone. */
function midnightAfter(id: string): string {
  return `to_date((${id} / (${CAPACITY}))::text, ${FORMAT}) + ('1 ' || group_by)::interval`;
}

/**
 * The instant at which clocks show `midnight`, if their offset is the one that the zone has
 * `hours` after `read_as`.
 */
function midnightWithOffsetOf(hours: number): string {
  const instant = `(read_as + interval '${hours} hours')`;
  return `(midnight - (${instant} AT TIME ZONE time_zone - ${instant} AT TIME ZONE 'UTC')) AT TIME ZONE 'UTC'`;
}

/**
 * The end of the group that contains an id: the first instant with a later date in its zone. `AT TIME
 * ZONE` alone is not enough: if clocks are set back over midnight, it returns the second of two midnights; if
 * they are set forward from before midnight, it returns an instant after the shift. So midnight is computed
 * with the offset before a shift and with the offset after it. The end is the first of these two at which
 * clocks do show midnight; if neither does, it is the shift itself.
 */
function endOf(id: string): string {
  return `(SELECT CASE
    WHEN before_shift AT TIME ZONE time_zone = midnight THEN before_shift
    WHEN after_shift AT TIME ZONE time_zone = midnight THEN after_shift
    ELSE (SELECT min(minute) FROM generate_series(after_shift, before_shift, interval '1 minute') minute
      WHERE minute AT TIME ZONE time_zone >= midnight)
  END
  FROM (
    SELECT midnight, ${midnightWithOffsetOf(-24)} AS before_shift, ${midnightWithOffsetOf(24)} AS after_shift
    FROM (SELECT midnight, midnight AT TIME ZONE time_zone AS read_as FROM (SELECT ${midnightAfter(id)} AS midnight) m) r
  ) s)`;
}

/** The end of the group that contains `max_id`. */
export const GROUP_END = endOf('max_id');

/** For any sequence. All `size` ids must be in one group, and that group must have begun. */
export const GROUPED: GroupTerms = {
  highestOf,
  fits: (start, size) => `(group_by IS NULL
  OR ${start} < ${GROUP_LIMIT} AND ${start} / (${CAPACITY}) = (${start} + ${size}) / (${CAPACITY}))`,
  leftMs: `floor(1000 * extract(epoch FROM ${GROUP_END} - now()))`,
};

/**
 * Columns of the row of a sequence with groups, for a statement about many: the id before the first one of
 * the group that is now; the first id that is too far ahead of the clock; how many ids a group has, plus one;
 * and how many milliseconds the group lasts from the start of the statement on.
 */
export const GROUP_NOW = `${baseAt('now()')} AS group_base, ${GROUP_LIMIT} AS group_limit, ${CAPACITY} AS group_capacity,
    floor(1000 * extract(epoch FROM ${endOf(`(${baseAt('now()')})`)} - now())) AS left_ms`;

/** The groups of a row of the segment table; undefined if it has none. */
export function readGroup({ group_by: by, time_zone: zone }: Row): SequenceGroup | undefined {
  return isGroupUnit(by) ? { by, timeZone: zoneOfPostgres(String(zone)) } : undefined;
}

/** The zone as Postgres writes it. The sign of an offset is that of POSIX: west is positive. */
export function postgresZone({ timeZone }: SequenceGroup): string {
  if (!isFixedOffset(timeZone)) return timeZone;
  return `<${timeZone}>${timeZone.startsWith('+') ? '-' : '+'}${timeZone.slice(1)}`;
}

function zoneOfPostgres(timeZone: string): string {
  return /^<([^>]+)>/.exec(timeZone)?.[1] ?? timeZone;
}
