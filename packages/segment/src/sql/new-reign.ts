import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import { assertIdBound } from '../segment-size.js';
import type { ReignChange } from './reign.js';

/**
 * What a reservation does that finds its table in another reign: skips this many ids, 0 to 2^53 - 1, or is
 * refused with `ERR_IDS_REGRESSED` until `setFloor` was called.
 */
export type AfterReignChange = number | 'refuse';

export interface NewReignOptions {
  /**
   * After a standby was promoted, or a base backup recovered; default 10,000,000. It must cover the ids that
   * the former server reserved or skipped in commits that this one lacks: 0 is right only where no standby is
   * ever promoted that did not confirm every commit.
   */
  readonly afterFailover?: AfterReignChange | undefined;
  /**
   * After the row was restored from a dump, copied or replicated logically, or the server
   * upgraded; default 10,000,000.
   */
  readonly afterRestore?: AfterReignChange | undefined;
}

/** Ten segments of the greatest default step. */
const DEFAULT_SKIP = 10_000_000;

export const AFTER_RULE = 'must be "refuse" or a whole number of ids from 0 to 9007199254740991';

export function isAfterReignChange(value: unknown): value is AfterReignChange {
  return value === 'refuse' || (Number.isSafeInteger(value) && (value as number) >= 0);
}

/** The ids to skip after each change; null stands for a refusal. */
export type Skips = Readonly<Record<ReignChange, number | null>>;

export function skipsOf({
  afterFailover = DEFAULT_SKIP,
  afterRestore = DEFAULT_SKIP,
}: NewReignOptions): Skips {
  return { failover: skip('afterFailover', afterFailover), restore: skip('afterRestore', afterRestore) };
}

function skip(option: string, value: AfterReignChange): number | null {
  if (value === 'refuse') return null;
  if (typeof value === 'string') {
    throw new IdError('ERR_IDS_CONFIG', `option "${option}": ${AFTER_RULE}, got ${shownValue(value)}`);
  }
  assertIdBound(option, value);
  return value;
}

/** What became of the table, in words. */
export const CHANGE_TEXT: Readonly<Record<ReignChange, string>> = {
  failover: 'its server was promoted, or recovered from a base backup, since the last reservation',
  restore: 'its row was restored, copied or replicated, or its server upgraded, since the last reservation',
};

/** Why a reservation after a change of the reign is not made. */
export function newReignRefused(name: string, table: string, change: ReignChange, skips: Skips): IdError {
  const skip = skips[change];
  const why =
    skip === null ? 'ids above it may have been given' : `the ${skip} ids to skip do not fit into the group`;
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} of table ${table}: ${CHANGE_TEXT[change]}, and ${why}; find the highest id that was given, then use setFloor`,
  );
}
