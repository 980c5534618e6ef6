import { type TableShape, typesOf } from '../table-shape.js';

/**
 * In SQL of Postgres: what was found instead of this shape under a name; null if it is of this shape, or if
 * there is nothing. Columns that are only in `later` may be missing, and others may be there besides. `name`
 * is an expression, the quoted name of the table.
 */
export function foundInstead(
  { columns, key }: TableShape,
  name: string,
  later: TableShape['columns'],
): string {
  const rows = [
    ...typesOf(columns).map((column) => [...column, true]),
    ...typesOf(later).map((column) => [...column, false]),
  ].map(([column, type, required]) => `('${column}', '${type}'::regtype, ${required})`);
  // Without the quotes of `quote_all_identifiers`.
  const keyOf =
    "(SELECT replace(pg_get_constraintdef(k.oid), '\"', '') FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p')";
  return `(SELECT CASE WHEN c.relkind IN ('r', 'p') THEN '' ELSE 'no table, but ' END || concat_ws(', ',
    (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), ${keyOf})
  FROM pg_class c WHERE c.oid = to_regclass(${name}) AND (c.relkind NOT IN ('r', 'p')${key === undefined ? '' : ` OR ${keyOf} IS DISTINCT FROM '${key}'`} OR EXISTS (
    SELECT FROM (VALUES ${rows.join(', ')}) expected (column_name, type, required)
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = column_name AND NOT a.attisdropped
    WHERE CASE WHEN a.attname IS NULL THEN required ELSE a.atttypid <> type END)))`;
}
