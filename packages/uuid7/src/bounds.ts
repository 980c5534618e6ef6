import { shownValue } from '@ids/core/strategy';
import { BLOCKS, MAX_MS, prefixText } from './layout.js';

/**
 * The lowest UUID of version 7 in the millisecond of `date`. For queries (`id >= lowerBound(from)`), never
 * for inserts. Throws a `TypeError` if `date` is not a `Date`, and a `RangeError` if it is outside 1970-01-01
 * .. 10889-08-02T05:31:50.655Z.
 */
export function lowerBound(date: Date): string {
  return prefixText(msOf(date), 0) + '0'.repeat(12);
}

/**
 * The highest UUID of version 7 in the millisecond of `date`, for `id <= upperBound(to)`. Throws like
 * `lowerBound`.
 */
export function upperBound(date: Date): string {
  return prefixText(msOf(date), BLOCKS - 1) + 'f'.repeat(12);
}

function msOf(date: unknown): number {
  if (Object.prototype.toString.call(date) !== '[object Date]') {
    throw new TypeError(`the date of a bound must be a Date, got ${shownValue(date)}`);
  }
  const ms = (date as Date).getTime();
  if (ms >= 0 && ms <= MAX_MS) return ms;
  const text = Number.isNaN(ms) ? 'an invalid Date' : (date as Date).toISOString();
  throw new RangeError(
    `the date of a bound must be in 1970-01-01T00:00:00Z .. 10889-08-02T05:31:50.655Z, got ${text}`,
  );
}
