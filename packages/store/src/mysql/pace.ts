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
  reigns_lost: 'bigint NOT NULL DEFAULT 0',
} as const;

const NAMES = Object.keys(PACE_COLUMNS);

const NOW = 'UNIX_TIMESTAMP()';

/** The most ids a second that were reserved of a row in a minute; `row`: its table and a dot, or nothing. */
export function rateOf(row = ''): string {
  return `GREATEST(${row}minute_ids / 60e0, ${row}peak_rate)`;
}

/** The columns `age` and `rate` of a row, as `readPace` reads them. */
export const PACE = `CAST(GREATEST(0, CAST(${NOW} AS signed) - minute_began) AS char) AS age,
  CAST(${rateOf()} AS char) AS rate`;

/** Whether the minute of a row is not over. By a clock that was wrong, it may lie in the future. */
export const SAME_MINUTE = `minute_began BETWEEN ${NOW} - 59 AND ${NOW} + 59`;

/** An assignment that counts `size` ids in the minute of the row, which must be the same. */
export function countIds(size: string): string {
  return `minute_ids = minute_ids + ${size}`;
}

/**
 * The values of the columns of a row after `size` ids, an expression. A minute in the future begins now: it
 * must not last until then. In the standard mode, an assignment sees those to its left; in this order, none
 * needs what those have replaced.
 */
export function paceAfter(
  size: string,
  row = '',
): Readonly<Record<'peak_rate' | 'minute_ids' | 'minute_began', string>> {
  const [began, ids, peak] = [`${row}minute_began`, `${row}minute_ids`, `${row}peak_rate`];
  const same = `${began} > ${NOW} - 60`;
  return {
    peak_rate: `IF(${same}, ${peak}, GREATEST(${ids} / 60e0, ${peak} / (1 + (${NOW} - ${began}) / 604800e0)))`,
    minute_ids: `IF(${same}, ${ids}, 0) + ${size}`,
    minute_began: `IF(${same}, LEAST(${began}, ${NOW}), ${NOW})`,
  };
}

/** Assignments that count `size` ids in the minute that is now. */
export function storePace(size: string): string {
  return Object.entries(paceAfter(size))
    .map(([column, value]) => `${column} = ${value}`)
    .join(',\n  ');
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
