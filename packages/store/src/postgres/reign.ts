/*
 * Each reservation stores in its row the server, the timeline and the transaction in which it ran, and
 * compares what it finds there in the same UPDATE.
 *
 * - A promoted standby, or a recovered base backup, continues in another timeline: `failover`.
 * - A row that a restore, a copy or a subscription wrote has the `xmin` of that writer, not the transaction
 *   that is stored in it: `restore`. The same is true of a row on another server. `VACUUM FREEZE` and `VACUUM
 *   FULL` keep `xmin`, which is the low 32 bits of the transaction's id.
 * - `CREATE DATABASE … TEMPLATE` copies the files, `xmin` included. The copy is another database: `restore`.
 * - A row that was written in a later timeline of this same system, by a primary that has followed this one:
 *   the reservation is refused, since that primary may still be running.
 *
 * A former primary whose own row shows none of this is detected by the names of the reigns, which each change
 * adds to the row: see `KnownReigns` of `@ids/segment`.
 *
 * Reservations that wait for the lock of the row are evaluated on its new version, so only the first one of a
 * reign finds the change.
 */

/**
 * How much of it can be compared. `full`: everything. `row`: only the transaction, because the server does
 * not disclose its identity or timeline. `off`: nothing, because the columns are missing or the role may not
 * use them.
 */
export type ReignGuard = 'full' | 'row' | 'off';

/**
 * The columns, in the order of their creation. `noticed` is what the last reservation found, for `RETURNING`.
 * `database_id` is the oid of the database.
 */
export const REIGN_COLUMNS = {
  system_id: 'bigint',
  timeline: 'text',
  last_xact: 'bigint',
  noticed: 'text',
  database_id: 'bigint',
} as const;

/** The trigger that is created last, so that a table which has it is complete. */
export const REIGN_TRIGGER = 'id_segment_reign';

/**
 * Names this server, its timeline and its database, for a statement that relies on what was read there. Two
 * standbys that inherit one row differ only in when they were started, or in their lanes, by which they skip
 * to different places.
 */
export const HERE = `concat_ws('/', here_id, here_timeline, here_database,
    current_setting('ids.lane', true), extract(epoch FROM pg_catalog.pg_postmaster_start_time()))`;

/** Whether a row version was written by the transaction in its `last_xact`. */
export function writtenByLastXact(row: string): string {
  return `${row}.last_xact % 4294967296 = ${row}.xmin::text::bigint`;
}

/** The transaction of this statement, which must not be a subtransaction: that has an id of its own. */
export const THIS_XACT = 'pg_catalog.pg_current_xact_id()::text::bigint';

/** The timeline of a primary. */
export const TIMELINE = 'left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)';

/** The oid of this database. A dump and its restore, or a copy by `TEMPLATE`, has another one. */
const DATABASE =
  '(SELECT oid::bigint FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())';

/**
 * The `WITH` clause that the other expressions refer to. It reads the server's identity once per statement.
 */
export function withHere(guard: ReignGuard): string {
  if (guard === 'off') return '';
  const [systemId, timeline] =
    guard === 'full'
      ? ['(SELECT system_identifier FROM pg_catalog.pg_control_system())', TIMELINE]
      : ['NULL::bigint', 'NULL::text'];
  return `WITH here AS MATERIALIZED (SELECT ${systemId} AS here_id, ${timeline} AS here_timeline, ${DATABASE} AS here_database)\n`;
}

/** Whether a row `s` was restored or copied; null if it is older than these columns. */
export const RESTORED = `NOT ${writtenByLastXact('s')} OR s.system_id <> here_id OR s.database_id <> here_database`;

/**
 * A `ReignChange` or null, for a row `s`. A row that is older than these columns has nulls and is accepted.
 */
export const CHANGE = `CASE
  WHEN ${RESTORED} THEN 'restore'
  WHEN s.timeline <> here_timeline THEN 'failover' END`;

/** Whether `CHANGE` is one; null if the row is older than these columns. */
export const CHANGED = `${RESTORED} OR s.timeline <> here_timeline`;

/** Whether the row is of a reign that has followed the one of this server. Null: it does not say. */
export const SUPERSEDED = '(s.system_id = here_id AND s.timeline > here_timeline)';

/**
 * The reigns in the row: their names, the present one first, separated by commas. Only segments have them.
 */
export const REIGNS_COLUMN = { reigns: 'text' } as const;

/** How many characters of names are kept: eight names of 26 characters, with what separates them. */
const REIGNS_LENGTH = 215;

/**
 * The name of a new reign: the system and its timeline, which show who has followed whom (see
 * `KnownReigns` of `@ids/segment`), and 32 random bits, so that two servers never share one.
 */
export function newReign(mark: '-' | '!' = '-'): string {
  return `concat(lpad(to_hex(here_id % 4294967296), 8, '0'), '.', here_timeline, '${mark}', left(pg_catalog.gen_random_uuid()::text, 8))`;
}

/**
 * An assignment that stores the names of the reigns, with a new one if `begins` holds or there is none yet.
 */
export function storeReigns(begins?: string): string {
  const when = `s.reigns IS NULL${begins === undefined ? '' : ` OR ${begins}`}`;
  return `reigns = CASE WHEN ${when} THEN ${withNewReign()} ELSE s.reigns END`;
}

/**
 * An assignment with the name of a reign that an operator has accepted. `follows`: the names of those that it
 * follows besides, or null, as a parameter.
 */
export function acceptedReign(follows: string): string {
  return `reigns = ${withNewReign('!', `${follows}::text`)}`;
}

/**
 * An assignment with the name of a reign that follows those in the row, and others: their names, or null, as
 * a parameter.
 */
export function followingReign(follows: string): string {
  return `reigns = ${withNewReign('-', `${follows}::text`)}`;
}

function withNewReign(mark?: '-' | '!', follows?: string): string {
  const names = [newReign(mark), ...(follows === undefined ? [] : [follows]), 's.reigns'];
  return `left(concat_ws(',', ${names.join(', ')}), ${REIGNS_LENGTH})`;
}

/** The number of a timeline, which Postgres writes in hexadecimal digits. */
function numberOf(timeline: string): string {
  return `('x' || ${timeline})::bit(32)::bigint`;
}

/** How many timelines have followed the first one of this system; null if it does not say. */
export const TIMELINES_HERE = `(${numberOf('here_timeline')} - 1)`;

/**
 * How many timelines have begun since the row was written; if another system wrote it, all but the first.
 * Null: the row or the server does not say.
 */
export const TIMELINES_SINCE = `(${numberOf('here_timeline')} - CASE WHEN s.system_id <> here_id THEN 1 ELSE ${numberOf('s.timeline')} END)`;

/**
 * How many ids to skip; null to refuse. The first two parameters are numbers or null; `lost` says whether ids
 * are missing without a change that shows it. `skipAfter` computes the same for skips that do not grow.
 *
 * The skip of a failover counts for each timeline that has begun since the row was written, whatever else
 * happened to the row. Otherwise two heirs of one row, of which the first was deposed before its first
 * reservation reached the second, would skip into the same ids: while the first still answers, both issue
 * them.
 */
export function skipOf(afterFailover: string, afterRestore: string, lost?: string): string {
  return `CASE WHEN ${lost ? `${lost} OR ` : ''}${RESTORED} THEN ${afterRestore}::bigint ELSE 0 END
  + CASE WHEN ${TIMELINES_SINCE} <> 0 THEN ${afterFailover}::bigint * ${TIMELINES_SINCE} ELSE 0 END`;
}

/**
 * Assignments that store this reign and `noticed`. If the server does not disclose its identity, the old one
 * stays.
 */
export function storeReign(guard: ReignGuard, noticed: string): string {
  if (guard === 'off') return '';
  const identity = guard === 'full' ? 'system_id = here_id, timeline = here_timeline, ' : '';
  return `, ${identity}database_id = here_database, last_xact = ${THIS_XACT}, noticed = ${noticed}`;
}
