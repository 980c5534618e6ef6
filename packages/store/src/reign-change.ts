import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { assertIdBound } from './whole-number.js';

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
   * what it reserves while it still answers, with what it skipped itself. 0 is safe only if no standby is
   * ever promoted that did not confirm every commit.
   */
  readonly afterFailover?: AfterReignChange | undefined;
  /**
   * After the row was restored from a dump, copied or replicated logically, or the server upgraded; default
   * 10,000,000. On Postgres, `afterFailover` is added for each timeline that has begun since.
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
    throw new IdError('ERR_IDS_CONFIG', `option "${option}": ${AFTER_RULE}, got ${formatValue(value)}`);
  }
  assertIdBound(option, value);
  return value;
}

/**
 * How many ids a reservation skips after a change; null: it is refused. `timelines`: how many have begun
 * since the row was written, each of which skips as many as a failover; by default one at a failover.
 */
export function skipAfter(
  change: ReignChange,
  skips: Skips,
  timelines = change === 'failover' ? 1 : 0,
): number | null {
  const { failover, restore } = skips;
  const first = change === 'restore' ? restore : 0;
  if (timelines === 0) return first;
  return first === null || failover === null ? null : first + failover * timelines;
}

/** What the next reservation from a table will do about a change, for a warning; `timelines` as above. */
export function pendingChange(change: ReignChange, skips: Skips, timelines?: number): string {
  const skip = skipAfter(change, skips, timelines);
  const then =
    skip === null ? 'is refused until setFloor is called with checked: true' : `skips at least ${skip} ids`;
  return `${CHANGE_TEXT[change]}; the next reservation ${then}`;
}

/** The same, for the description of a table. */
export function pendingState(pending: ReignChange, skips: Skips, timelines?: number) {
  return { pending, refused: skipAfter(pending, skips, timelines) === null };
}

/** A change as a statement returns it; undefined for null. */
export function readChange(value: unknown): ReignChange | undefined {
  return value === 'failover' || value === 'restore' ? value : undefined;
}

/** What happened to the table, in words. */
export const CHANGE_TEXT: Readonly<Record<ReignChange, string>> = {
  failover: 'its server was promoted, or recovered from a base backup, since the last reservation',
  restore: 'its row was restored, copied or replicated, or its server upgraded, since the last reservation',
};
