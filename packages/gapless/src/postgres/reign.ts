import { quotedTable } from '@ids/store';
import { withHere } from '@ids/store/postgres';

/**
 * The reign of a series is the server, its timeline, the database and the table in which it was created or
 * accepted. Numbers do not name the transaction that wrote them, as other tables of ours do: in a savepoint,
 * that has an id of its own, which no statement can read.
 */
export const WITH_HERE = (table: string): string =>
  `${withHere('full').trimEnd()}, numbers AS MATERIALIZED (SELECT '${quotedTable(table).table}'::regclass::oid::bigint AS here_table)\n`;

/** A `ReignChange` or null, for a row `s` of the series. */
export const CHANGE_HERE = `CASE
  WHEN s.system_id <> here_id OR s.database_id <> here_database OR s.table_id <> (SELECT here_table FROM numbers) THEN 'restore'
  WHEN s.timeline <> here_timeline THEN 'failover' END`;
