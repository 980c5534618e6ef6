import { formatValue } from './wording.js';

/**
 * The time of `date` in milliseconds since 1970, for ids that begin with a time of at most `last`. Throws a
 * `TypeError` if `date` is not a `Date`, and a `RangeError` if it is before 1970 or after `last`.
 */
export function timeOfDate(date: unknown, last: number): number {
  if (Object.prototype.toString.call(date) !== '[object Date]') {
    throw new TypeError(`the date must be a Date, got ${formatValue(date)}`);
  }
  const ms = (date as Date).getTime();
  if (ms >= 0 && ms <= last) return ms;
  const end = new Date(last).toISOString();
  const text = Number.isNaN(ms) ? 'an invalid Date' : (date as Date).toISOString();
  throw new RangeError(`the date must be in 1970-01-01T00:00:00Z .. ${end}, got ${text}`);
}
