import { DAY_SECONDS } from '../skip.js';

/*
 * When a row was last used, and how fast: by what a restore or a failover may have lost, see `GrowingSkip`.
 * Each reservation counts its ids in the minute that is now. The first one of a minute keeps the rate of the
 * last one if it was the greatest, which falls to half in a week, or less. All ids of a minute were reserved
 * within one, however long nothing came after it.
 *
 * `seconds_lost` adds up how old the row was at each change of the reign, up to a day each, and `reigns_lost`
 * how many reigns had followed its server when that was reinstated: what a key may have lost that was not
 * used since is said by the row of its family.
 */

/** The columns, in the order of their creation. Rows from before them are as if they had just been made. */
export const PACE_COLUMNS = {
  minute_began: 'timestamptz NOT NULL DEFAULT now()',
  minute_ids: 'bigint NOT NULL DEFAULT 0',
  peak_rate: 'float8 NOT NULL DEFAULT 0',
  seconds_lost: 'bigint NOT NULL DEFAULT 0',
  reigns_lost: 'bigint NOT NULL DEFAULT 0',
} as const;

const AGE = 'GREATEST(0, extract(epoch FROM now() - s.minute_began))';

/** By a clock that was wrong, a minute may lie in the future, and must not last until then. */
const SAME_MINUTE = `s.minute_began > now() - interval '1 minute' AND s.minute_began < now() + interval '1 minute'`;

/** The most ids a second that were reserved of a row `s` in a minute. */
export const RATE = 'GREATEST(s.minute_ids / 60.0, s.peak_rate)';

/** The columns `age` and `rate` of a row `s`, as `readPace` reads them. */
export const PACE = `${AGE}::float8 AS age, ${RATE} AS rate`;

/** The values of the columns of a row `s` after `size` ids, an expression. */
export function paceAfter(
  size: string,
): Readonly<Record<'minute_began' | 'minute_ids' | 'peak_rate', string>> {
  const kept = `GREATEST(s.minute_ids / 60.0, s.peak_rate / (1 + ${AGE} / 604800))`;
  const either = (same: string, next: string): string =>
    `CASE WHEN ${SAME_MINUTE} THEN ${same} ELSE ${next} END`;
  return {
    minute_began: either('s.minute_began', 'now()'),
    minute_ids: `${either('s.minute_ids', '0')} + ${size}`,
    peak_rate: either('s.peak_rate', kept),
  };
}

/** Assignments that count `size` ids, an expression. */
export function storePace(size: string): string {
  return Object.entries(paceAfter(size))
    .map(([column, value]) => `, ${column} = ${value}`)
    .join('');
}

/** An assignment that adds the age of the row if `changed` holds. */
export function storeLoss(changed: string): string {
  return `, seconds_lost = s.seconds_lost + CASE WHEN ${changed} THEN ceil(LEAST(${AGE}, ${DAY_SECONDS}))::bigint ELSE 0 END`;
}

const SET_LANE = "current_setting('ids.lane', true)";

/**
 * Tells this server from another one that inherited the same row, 0 to 255: what its operator has set there
 * as `ids.lane`, or else by the microsecond in which it was started. Servers on
 * different lanes skip to different places.
 */
export const LANE = `CASE WHEN ${SET_LANE} ~ '^([01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5])$' THEN ${SET_LANE}::int
  ELSE ((extract(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint % 256)::int END`;
