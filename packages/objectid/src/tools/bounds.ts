import { shownValue } from '@ids/core/strategy';
import { MAX_SECOND } from '../limits.js';
import { hexDigits } from '../words.js';

/**
 * The lowest ObjectId of the second that contains `date`. For queries (`_id >= lowerBound(from)`), never for
 * inserts. Throws a `TypeError` if `date` is not a `Date`, and a `RangeError` if it is outside 1970-01-01 ..
 * 2106-02-07T06:28:15Z.
 */
export function lowerBound(date: Date): string {
  return hexDigits(secondOf(date), 8) + '0'.repeat(16);
}

/**
 * The highest ObjectId of the second that contains `date`, for `_id <= upperBound(to)`. Throws like
 * `lowerBound`.
 */
export function upperBound(date: Date): string {
  return hexDigits(secondOf(date), 8) + 'f'.repeat(16);
}

function secondOf(date: unknown): number {
  if (Object.prototype.toString.call(date) !== '[object Date]') {
    throw new TypeError(`the date of a bound must be a Date, got ${shownValue(date)}`);
  }
  const ms = (date as Date).getTime();
  const second = Math.floor(ms / 1_000);
  if (second >= 0 && second <= MAX_SECOND) return second;
  const text = Number.isNaN(ms) ? 'an invalid Date' : (date as Date).toISOString();
  throw new RangeError(
    `the date of a bound must be in 1970-01-01T00:00:00Z .. 2106-02-07T06:28:15Z, got ${text}`,
  );
}
