import { quotedTable } from '@ids/store';
import type { Documents, GapStatements, SeriesEnds, StepOptions } from '../table/documents.js';
import { allRowsStatement, mismatchStatement, plainRows } from './documents.js';
import { text } from './statements.js';

/**
 * A row if an index keeps two rows from having one number of one key. Then the keys whose count fits need no
 * closer look.
 */
function uniqueStatement({ table, column, keyColumn }: Documents): string {
  const columns = [column, ...(keyColumn === undefined ? [] : [keyColumn])].map((name) => `'${name}'`);
  return `SELECT 1 AS found FROM pg_catalog.pg_index i
WHERE i.indrelid = '${quotedTable(table).table}'::regclass AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL
  AND NOT EXISTS (
    SELECT FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, nth)
    WHERE nth <= i.indnkeyatts AND NOT EXISTS (
      SELECT FROM pg_catalog.pg_attribute a
      WHERE a.attrelid = i.indrelid AND a.attnum = k.attnum AND a.attname IN (${columns.join(', ')})
    )
  )`;
}

/**
 * Each row beside the one before it, by key and number: what is missing between the two, and what is equal.
 * An index on both columns gives that order without a sort. `unique`: no number is repeated, so only the
 * keys are looked at whose count shows that some are missing.
 */
function stepsStatement(documents: Documents, { start, unique }: StepOptions, most: number): string {
  const lowest = start === 'lowest' ? 'min(number)' : String(start);
  const counted = `d.key IN (SELECT key FROM (${plainRows(documents)}) c WHERE number >= ${start === 'lowest' ? 0 : start}
    GROUP BY key HAVING count(*) <> max(number) - ${lowest} + 1)`;
  const before = start === 'lowest' ? 'lag(number)' : `lag(number, 1, ${start - 1}::bigint)`;
  return `SELECT DISTINCT key::text AS key, CASE WHEN number = before THEN 'repeated' ELSE 'missing' END AS kind,
  CASE WHEN number = before THEN number ELSE before + 1 END::text AS first,
  CASE WHEN number = before THEN number ELSE number - 1 END::text AS last
FROM (
  SELECT key, number, ${before} OVER (PARTITION BY key ORDER BY number) AS before
  FROM (${plainRows(documents)}) d WHERE number >= ${start === 'lowest' ? 0 : start}${unique ? ` AND ${counted}` : ''}
) steps
WHERE number > before + 1 OR number = before
LIMIT ${most}`;
}

/** The end of each key beside what the series has issued, in one snapshot. */
function endsStatement(documents: Documents, { series, table, start }: SeriesEnds, most: number): string {
  const lowest = start === 'lowest' ? 1 : start;
  return `SELECT COALESCE(m.key, convert_from(n.sequence_key, 'UTF8')) AS key,
  CASE WHEN n.last_number > COALESCE(m.highest, ${lowest - 1}) THEN 'missing' ELSE 'not-issued' END AS kind,
  (1 + LEAST(COALESCE(n.last_number, ${lowest - 1}), COALESCE(m.highest, ${lowest - 1})))::text AS first,
  GREATEST(n.last_number, m.highest)::text AS last
FROM (SELECT * FROM ${quotedTable(table).table} WHERE series = ${text(series)}) n
  FULL JOIN (SELECT key::text AS key, max(number) AS highest FROM (${plainRows(documents)}) d GROUP BY d.key) m
    ON n.sequence_key = convert_to(m.key, 'UTF8')
WHERE COALESCE(n.last_number, ${lowest - 1}) <> COALESCE(m.highest, ${lowest - 1}) LIMIT ${most}`;
}

export const postgresGaps: GapStatements = {
  allRowsStatement,
  mismatchStatement,
  uniqueStatement,
  stepsStatement,
  endsStatement,
};
