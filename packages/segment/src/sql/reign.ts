import { IdError } from '@ids/core';
import { shownValue } from '@ids/core/strategy';
import { assertIdBound } from '../segment.js';

/*
 * The reign of a segment table is one uninterrupted life of one server with one history. Each reservation
 * stores in its row the server, the timeline and the transaction in which it ran, and compares what it finds
 * there in the same UPDATE.
 *
 * - A promoted standby, or a recovered base backup, continues in another timeline: `failover`.
 * - A row that a restore, a copy or a subscription wrote has the `xmin` of that writer, not the transaction
 *   that is stored in it: `restore`. The same is true of a row on another server. `VACUUM FREEZE` and `VACUUM
 *   FULL` keep `xmin`, which is the low 32 bits of the transaction's id.
 *
 * Reservations that wait for the lock of the row are evaluated on its new version, so only the first one of a
 * reign finds the change.
 */

/** Why the row is not as its last reservation left it. */
export type ReignChange = 'failover' | 'restore';

/**
 * How much of it can be compared. `full`: everything. `row`: only the transaction, because the server does
 * not disclose its identity or timeline. `off`: nothing, because the columns are missing or the role may not
 * use them.
 */
export type ReignGuard = 'full' | 'row' | 'off';

/**
 * The columns, in the order of their creation. `noticed` is what the last reservation found, for `RETURNING`.
 */
export const REIGN_COLUMNS = {
  system_id: 'bigint',
  timeline: 'text',
  last_xact: 'bigint',
  noticed: 'text',
} as const;

/** The trigger that is created last, so that a table which has it is complete. */
export const REIGN_TRIGGER = 'id_segment_reign';

/** Whether a row version was written by the transaction in its `last_xact`. */
export function writtenByLastXact(row: string): string {
  return `${row}.last_xact % 4294967296 = ${row}.xmin::text::bigint`;
}

/** The transaction of this statement, which must not be a subtransaction: that has an id of its own. */
export const THIS_XACT = 'pg_catalog.pg_current_xact_id()::text::bigint';

/** The timeline of a primary. */
export const TIMELINE = 'left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)';

/**
 * The `WITH` clause that the other expressions refer to. It reads the server's identity once per statement.
 */
export function withHere(guard: ReignGuard): string {
  if (guard === 'off') return '';
  const [systemId, timeline] =
    guard === 'full'
      ? ['(SELECT system_identifier FROM pg_catalog.pg_control_system())', TIMELINE]
      : ['NULL::bigint', 'NULL::text'];
  return `WITH here AS MATERIALIZED (SELECT ${systemId} AS here_id, ${timeline} AS here_timeline)\n`;
}

/**
 * A `ReignChange` or null, for a row `s`. A row that is older than these columns has nulls and is accepted.
 */
export const CHANGE = `CASE
  WHEN NOT ${writtenByLastXact('s')} OR s.system_id <> here_id THEN 'restore'
  WHEN s.timeline <> here_timeline THEN 'failover' END`;

/** How many ids to skip; null to refuse. Each parameter is a number or null. */
export function skipOf(afterFailover: string, afterRestore: string): string {
  return `CASE ${CHANGE} WHEN 'failover' THEN ${afterFailover}::bigint WHEN 'restore' THEN ${afterRestore}::bigint ELSE 0 END`;
}

/**
 * Assignments that store this reign and `noticed`. If the server does not disclose its identity, the old one
 * stays.
 */
export function storeReign(guard: ReignGuard, noticed: string): string {
  if (guard === 'off') return '';
  const identity = guard === 'full' ? 'system_id = here_id, timeline = here_timeline, ' : '';
  return `, ${identity}last_xact = ${THIS_XACT}, noticed = ${noticed}`;
}

/**
 * What a reservation does if its table is in another reign: it skips this many ids, 0 to 2^53 - 1, or rejects
 * with `ERR_IDS_REGRESSED` until `setFloor` is called.
 */
export type AfterReignChange = number | 'refuse';

export interface NewReignOptions {
  /**
   * After a standby was promoted, or a base backup recovered; default 10,000,000. It must cover the ids that
   * the former server reserved or skipped in commits that this one lacks. 0 is safe only if no standby is
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
const DEFAULT_SKIP = 10_000_000;

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
    `sequence ${JSON.stringify(name)} of table ${table}: ${CHANGE_TEXT[change]}, and ${why}; find the highest id that was issued, then use setFloor`,
  );
}
