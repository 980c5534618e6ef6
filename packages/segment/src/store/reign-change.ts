import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import { assertIdBound } from '../segment.js';

/*
 * The reign of a table is one uninterrupted life of one server with one history. A reservation compares the
 * server with what its row stores of it: see `reign.ts` of each database.
 */

/** Why the row is not as its last reservation left it. */
export type ReignChange = 'failover' | 'restore';

/**
 * What a reservation does if its table is in another reign: it skips this many ids, 0 to 2^53 - 1, or rejects
 * with `ERR_IDS_REGRESSED` until `setFloor` is called with `checked`.
 */
export type AfterReignChange = number | 'refuse';

export interface NewReignOptions {
  /**
   * After a standby was promoted, or a base backup recovered; default 10,000,000, for each timeline that has
   * begun since. It must cover the ids that the former server reserved in commits that this one lacks, and
   * what it reserves while it still answers. 0 is safe only if no standby is
   * ever promoted that did not confirm every commit.
   */
  readonly afterFailover?: AfterReignChange | undefined;
  /**
   * After the row was restored from a dump, copied or replicated logically, or the server
   * upgraded; default 10,000,000.
   */
  readonly afterRestore?: AfterReignChange | undefined;
}

/** Ten segments of the largest default step. */
export const DEFAULT_SKIP = 10_000_000;

export const AFTER_RULE = 'must be "refuse" or a whole number of ids from 0 to 9007199254740991';

export function isAfterReignChange(value: unknown): value is AfterReignChange {
  return value === 'refuse' || (Number.isSafeInteger(value) && (value as number) >= 0);
}

/** The ids to skip after each change; null to refuse. */
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

/** What happened to the table, in words. */
export const CHANGE_TEXT: Readonly<Record<ReignChange, string>> = {
  failover: 'its server was promoted, or recovered from a base backup, since the last reservation',
  restore: 'its row was restored, copied or replicated, or its server upgraded, since the last reservation',
};

/** Why a reservation after a change of the reign is not made. */
export function newReignRefused(name: string, table: string, change: ReignChange, skips: Skips): IdError {
  const skip = skips[change];
  const why =
    skip === null ? 'ids above it may have been issued' : `the ${skip} ids to skip do not fit in the group`;
  return new IdError(
    'ERR_IDS_REGRESSED',
    `sequence ${JSON.stringify(name)} of table ${table}: ${CHANGE_TEXT[change]}, and ${why}; find the highest id that was issued, then use setFloor with checked: true`,
  );
}
