import { DAY_SECONDS } from '../skip.js';
import type { MysqlTable } from './text.js';

/*
 * As `../postgres/pace.ts`, in seconds since 1970: what a `timestamp` means would depend on the time zone of
 * the session.
 */

/** The columns, in the order of their creation. Rows from before them are as if they had just been made. */
export const PACE_COLUMNS = {
  minute_began: 'bigint NOT NULL DEFAULT (unix_timestamp())',
  minute_ids: 'bigint NOT NULL DEFAULT 0',
  peak_rate: 'double NOT NULL DEFAULT 0',
  seconds_lost: 'bigint NOT NULL DEFAULT 0',
} as const;

const NAMES = Object.keys(PACE_COLUMNS);

const NOW = 'UNIX_TIMESTAMP()';

const LAST_RATE = 'minute_ids / 60e0';

/** The columns `age` and `rate` of a row, as `readPace` reads them. */
export const PACE = `CAST(GREATEST(0, CAST(${NOW} AS signed) - minute_began) AS char) AS age,
  CAST(GREATEST(${LAST_RATE}, peak_rate) AS char) AS rate`;

/** Whether the minute of a row is not over. By a clock that was wrong, it may lie in the future. */
export const SAME_MINUTE = `minute_began BETWEEN ${NOW} - 59 AND ${NOW} + 59`;

/** An assignment that counts `size` ids in the minute of the row, which must be the same. */
export function countIds(size: string): string {
  return `minute_ids = minute_ids + ${size}`;
}

/**
 * Assignments that count `size` ids in the minute that is now. In the standard mode, each sees those to its
 * left. A minute in the future begins now: it must not last until then.
 */
export function storePace(size: string): string {
  const same = `minute_began > ${NOW} - 60`;
  return `peak_rate = IF(${same}, peak_rate, GREATEST(${LAST_RATE}, peak_rate / (1 + (${NOW} - minute_began) / 604800e0))),
  minute_ids = IF(${same}, minute_ids, 0) + ${size}, minute_began = IF(${same}, LEAST(minute_began, ${NOW}), ${NOW})`;
}

/**
 * An assignment that adds the age of the row if `changed` holds. It must be left of those that store the
 * reign and the pace.
 */
export function storeLoss(changed: string): string {
  return `seconds_lost = seconds_lost + IF(${changed}, LEAST(GREATEST(0, CAST(${NOW} AS signed) - minute_began), ${DAY_SECONDS}), 0)`;
}

/** In SQL: whether the account may use all columns of the pace. The server hides others, and their rights. */
export function hasPace({ isThis }: MysqlTable): string {
  const names = NAMES.map((name) => `'${name}'`).join(', ');
  return `(SELECT count(*) = ${NAMES.length} FROM information_schema.COLUMNS WHERE ${isThis} AND COLUMN_NAME IN (${names})
    AND PRIVILEGES LIKE '%select%' AND PRIVILEGES LIKE '%update%')`;
}
