/**
 * The reign of a segment table: one uninterrupted life of one server with one history. Each reservation
 * stores in its row which server and timeline it ran on and which transaction it was, and compares what it
 * finds there in the same UPDATE.
 *
 * - A promoted standby, or a base backup that was recovered, goes on in another timeline: `failover`.
 * - A row that a restore, a copy or a subscription wrote has the `xmin` of that writer, not the transaction
 *   that it names: `restore`. So has one on another server. `VACUUM FREEZE` and `VACUUM FULL` keep `xmin`; it
 *   is the low 32 bits of the transaction's id.
 *
 * Reservations that wait for the row's lock are evaluated on its new version, so only the first one of
 * a reign finds the change.
 */

/** Why the row is not as its last reservation left it. */
export type ReignChange = 'failover' | 'restore';

/**
 * How much of it can be compared. `full`: all. `row`: only the transaction, since the server does not say its
 * identity or timeline. `off`: nothing, since the columns are missing or the role may not use them.
 */
export type ReignGuard = 'full' | 'row' | 'off';

/**
 * The columns, in the order of their creation. `noticed` is what the last reservation found, so that
 * `RETURNING` can give it.
 */
export const REIGN_COLUMNS = {
  system_id: 'bigint',
  timeline: 'text',
  last_xact: 'bigint',
  noticed: 'text',
} as const;

/** Whether the transaction that wrote a row version is the one that its `last_xact` names. */
export function writtenByLastXact(row: string): string {
  return `${row}.last_xact % 4294967296 = ${row}.xmin::text::bigint`;
}

/** The transaction of this statement. It must not run in a subtransaction, which has an id of its own. */
export const THIS_XACT = 'pg_catalog.pg_current_xact_id()::text::bigint';

/**
 * The `WITH` clause that the other expressions here refer to; it reads the server's identity once
 * for the whole statement.
 */
export function withHere(guard: ReignGuard): string {
  if (guard === 'off') return '';
  const [systemId, timeline] =
    guard === 'full'
      ? [
          '(SELECT system_identifier FROM pg_catalog.pg_control_system())',
          'left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8)',
        ]
      : ['NULL::bigint', 'NULL::text'];
  return `WITH here AS MATERIALIZED (SELECT ${systemId} AS here_id, ${timeline} AS here_timeline)\n`;
}

/**
 * A `ReignChange` or null, for a row `s`. One from before these columns were added holds
 * nulls in them and is adopted.
 */
export const CHANGE = `CASE
  WHEN NOT ${writtenByLastXact('s')} OR s.system_id <> here_id THEN 'restore'
  WHEN s.timeline <> here_timeline THEN 'failover' END`;

/** How many ids to skip; null to refuse. The parameters hold a number or null each. */
export function skipOf(afterFailover: string, afterRestore: string): string {
  return `CASE ${CHANGE} WHEN 'failover' THEN ${afterFailover}::bigint WHEN 'restore' THEN ${afterRestore}::bigint ELSE 0 END`;
}

/**
 * Assignments that store this reign, and `noticed`. Where the server does not say its
 * identity, the stored one stays.
 */
export function storeReign(guard: ReignGuard, noticed: string): string {
  if (guard === 'off') return '';
  const identity = guard === 'full' ? 'system_id = here_id, timeline = here_timeline, ' : '';
  return `, ${identity}last_xact = ${THIS_XACT}, noticed = ${noticed}`;
}
