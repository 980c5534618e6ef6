import { shownValue } from '@ids/core/strategy';
import { BLOCKS, MAX_MS, prefixText } from './layout.js';

/**
 * The lowest UUID of version 7 of the millisecond of `date`: for queries (`id >= lowerBound(from)`), never
 * for inserts. Throws a `TypeError` unless `date` is a `Date`, a `RangeError` unless it lies in 1970-01-01 ..
 * 10889-08-02T05:31:50.655Z.
 */
export function lowerBound(date: Date): string {
  return prefixText(msOf(date), 0) + '0'.repeat(12);
}

/**
 * The highest UUID of version 7 of the millisecond of `date`, for `id <= upperBound(to)`;
 * otherwise as `lowerBound`.
 */
export function upperBound(date: Date): string {
  return prefixText(msOf(date), BLOCKS - 1) + 'f'.repeat(12);
}

function msOf(date: unknown): number {
  if (Object.prototype.toString.call(date) !== '[object Date]') {
    throw new TypeError(`a bound is made of a Date, got ${shownValue(date)}`);
  }
  const ms = (date as Date).getTime();
  if (ms >= 0 && ms <= MAX_MS) return ms;
  const text = Number.isNaN(ms) ? 'an invalid one' : (date as Date).toISOString();
  throw new RangeError(
    `a bound's date must lie in 1970-01-01T00:00:00Z .. 10889-08-02T05:31:50.655Z, got ${text}`,
  );
}
