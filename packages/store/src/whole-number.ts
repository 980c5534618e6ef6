import { IdError } from '@ids/core';

/** Throws a `RangeError` unless `value`, called `what`, is a whole number from 0 to 2^53 - 1. */
export function assertIdBound(what: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${what} must be a whole number from 0 to 2^53 - 1, got ${String(value)}`);
  }
}

/**
 * Reads the value of a BIGINT `column`. Drivers return a string, a bigint or, with a parser of the user's
 * own, a number.
 */
export function readWholeNumber(value: unknown, column: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0 || String(number) !== String(value)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${column} must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, got ${String(value)}`,
    );
  }
  return number;
}
