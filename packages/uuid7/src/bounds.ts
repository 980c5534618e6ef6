import { timeOfDate } from '@ids/core/strategy';
import { BLOCKS, MAX_MS, prefixText } from './layout.js';

/**
 * The lowest UUID of version 7 in the millisecond of `date`. For queries (`id >= lowerBound(from)`), never
 * for inserts. Throws a `TypeError` if `date` is not a `Date`, and a `RangeError` if it is outside 1970-01-01
 * .. 10889-08-02T05:31:50.655Z.
 */
export function lowerBound(date: Date): string {
  return prefixText(timeOfDate(date, MAX_MS), 0) + '0'.repeat(12);
}

/**
 * The highest UUID of version 7 in the millisecond of `date`, for `id <= upperBound(to)`. Throws like
 * `lowerBound`.
 */
export function upperBound(date: Date): string {
  return prefixText(timeOfDate(date, MAX_MS), BLOCKS - 1) + 'f'.repeat(12);
}
