import { IdError } from '@ids/core';
import { LAST_ID } from '../segment.js';
import type { Origin, Reigns } from '../segment-source.js';
import type { Row } from './executor.js';

/** Where a row comes from; without names of reigns if the table or the role has none. */
export function readOrigin({ realm, reigns }: Row): Origin {
  return {
    realm: String(realm),
    ...(typeof reigns === 'string' && { reigns: reigns.split(',') }),
  };
}

/** The names of the reigns as a row stores them; null: any. */
export function reignsText(reigns: Reigns | undefined): string | null {
  return reigns === undefined ? null : reigns.join(',');
}

/**
 * Reads the value of a BIGINT `column`. Drivers return a string, a bigint or, with a parser of the user's
 * own, a number.
 */
export function readBigint(value: unknown, column: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0 || String(number) !== String(value)) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${column} must be a whole number from 0 to ${LAST_ID}, got ${String(value)}`,
    );
  }
  return number;
}
