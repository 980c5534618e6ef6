import type { SqlExecutor } from '@ids/store';
import type { FoundColumn } from './found-column.js';

/**
 * A common table expression: the sequences that belong to a column, as with serial, or that its default uses.
 * $1 is the oid of the table, $2 the column.
 */
export const SEQUENCES = `sequences AS (
  SELECT d.objid AS oid FROM pg_depend d JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
    AND a.attrelid = $1::oid AND a.attname = $2
  UNION
  SELECT d.refobjid FROM pg_depend d JOIN pg_attrdef f ON f.oid = d.objid
  JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
  WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass
    AND a.attrelid = $1::oid AND a.attname = $2
)`;

/**
 * A sequence has a type of its own. That of a serial column has 32 bits, and keeps them when the column is
 * made bigint; that of an identity column follows.
 */
const NARROW = `
WITH ${SEQUENCES}
SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS sequence, q.seqtypid::regtype::text AS type
FROM sequences s JOIN pg_class c ON c.oid = s.oid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_sequence q ON q.seqrelid = c.oid
WHERE q.seqincrement > 0 AND q.seqtypid <> 'bigint'::regtype ORDER BY 1`;

/**
 * The sequences of a column that end before a bigint does. Reads the catalogs only, which needs no right.
 */
export async function narrowSequences(
  database: SqlExecutor,
  table: string,
  column: string,
): Promise<NonNullable<FoundColumn['narrow']>> {
  const { rows } = await database.execute(NARROW, [table, column]);
  return rows.map(({ sequence, type }) => ({ sequence: String(sequence), type: String(type) }));
}
