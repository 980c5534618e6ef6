import { hexDigits, timeOfDate } from '@ids/core/strategy';
import { MAX_SECOND } from '../limits.js';

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

function secondOf(date: Date): number {
  return Math.floor(timeOfDate(date, MAX_SECOND * 1_000 + 999) / 1_000);
}
