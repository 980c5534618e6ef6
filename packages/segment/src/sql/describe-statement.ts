import { GROUP_LIMIT, highestOf } from './group-sql.js';
import { REIGN_COLUMNS } from './reign.js';
import { REIGN_TRIGGER } from './segment-reign-schema.js';
import { quotedTable } from './table-name.js';

const COLUMNS = Object.keys(REIGN_COLUMNS)
  .map((name) => `'${name}'`)
  .join(', ');

/**
 * What there is to know of the columns of the reign, for a table `c`: whether they are all there, and whether
 * the role may use them. `reign_usable` is null without the columns.
 */
const REIGN_FACTS = `
  (SELECT count(*) = ${Object.keys(REIGN_COLUMNS).length} FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname IN (${COLUMNS}) AND NOT a.attisdropped) AS reign_columns,
  (SELECT bool_and(has_column_privilege(c.oid, a.attnum, 'SELECT')
      AND (a.attname = 'xmin' OR has_column_privilege(c.oid, a.attnum, 'UPDATE'))) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname IN (${COLUMNS}, 'xmin') AND NOT a.attisdropped) AS reign_usable`;

/** Reads only the facts of the reign. $1 quoted table. No row: no such table. */
export const REIGN_FACTS_STATEMENT = `
SELECT ${REIGN_FACTS} FROM pg_class c WHERE c.oid = to_regclass($1::text)`;

/**
 * Reads a sequence, whether the store is durable, and what its guards rely on. $1 name, $2 quoted table, $3
 * quoted log table or null. `max_id` and `realm` are null: no such sequence.
 */
export function describeStatement(tableName: string): string {
  const { table } = quotedTable(tableName);
  return `
SELECT s.max_id, s.realm, s.group_by, s.time_zone, ${highestOf()} AS stands_at, ${GROUP_LIMIT} AS group_limit,
  c.relpersistence, pg_is_in_recovery() AS in_recovery, current_setting('fsync') AS fsync,
  current_setting('synchronous_standby_names') AS standbys,
  (SELECT l.relpersistence FROM pg_class l WHERE l.oid = to_regclass($3::text)) AS log_persistence,
  current_setting('transaction_read_only') AS read_only,
  current_setting('session_replication_role') AS replication_role,
  (SELECT array_agg(t.tgname::text) FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled IN ('O', 'A')
    AND t.tgname IN ('id_segment_guard', 'id_segment_guard_truncate', '${REIGN_TRIGGER}')) AS guards,
  (SELECT array_agg(n.nspname::text ORDER BY p.place) FROM unnest(current_schemas(false)) WITH ORDINALITY p(name, place)
    JOIN pg_namespace n ON n.nspname = p.name JOIN pg_class o ON o.relnamespace = n.oid AND o.relname = c.relname) AS schemas,
  ${REIGN_FACTS}
FROM pg_class c LEFT JOIN ${table} s ON s.server_name = $1
WHERE c.oid = $2::text::regclass`;
}
