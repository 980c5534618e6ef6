import { bytesOf, mysqlTable } from '@ids/store/mysql';
import type { Documents, GapStatements, SeriesEnds, StepOptions } from '../table/documents.js';
import { mismatchStatement, numberedRows, plainRows } from './documents.js';

/** As on Postgres. An index on the beginning of a column does not count. */
function uniqueStatement({ table, column, keyColumn }: Documents): string {
  const columns = [column, ...(keyColumn === undefined ? [] : [keyColumn])].map((name) => `'${name}'`);
  return `SELECT 1 AS found FROM information_schema.STATISTICS WHERE ${mysqlTable(table).isThis} AND NON_UNIQUE = 0
GROUP BY INDEX_NAME HAVING sum(COLUMN_NAME IN (${columns.join(', ')}) AND SUB_PART IS NULL) = count(*) LIMIT 1`;
}

/** As on Postgres. */
function stepsStatement(documents: Documents, { start, unique }: StepOptions, most: number): string {
  const from = start === 'lowest' ? 0 : start;
  const lowest = start === 'lowest' ? 'min(number)' : String(start);
  const counted = `d.k IN (SELECT k FROM (${plainRows(documents)}) c WHERE number >= ${from}
    GROUP BY k HAVING count(*) <> max(number) - ${lowest} + 1)`;
  const window = 'LAG(number) OVER (PARTITION BY k ORDER BY number)';
  const before = start === 'lowest' ? window : `COALESCE(${window}, ${start - 1})`;
  return `SELECT DISTINCT CAST(k AS CHAR) AS \`key\`, IF(number = \`before\`, 'repeated', 'missing') AS kind,
  CAST(IF(number = \`before\`, number, \`before\` + 1) AS CHAR) AS first, CAST(IF(number = \`before\`, number, number - 1) AS CHAR) AS last
FROM (
  SELECT k, number, ${before} AS \`before\`
  FROM (${plainRows(documents)}) d WHERE number >= ${from}${unique ? ` AND ${counted}` : ''}
) steps
WHERE number > \`before\` + 1 OR number = \`before\`
LIMIT ${most}`;
}

/** As on Postgres. Neither server has a full join. */
function endsStatement(documents: Documents, { series, table, start }: SeriesEnds, most: number): string {
  const none = start === 'lowest' ? 0 : start - 1;
  const issued = `(SELECT sequence_key, last_number FROM ${mysqlTable(table).quoted} WHERE series = ${bytesOf(series)})`;
  const ends = `(SELECT sequence_key, max(number) AS highest FROM (${numberedRows(documents)}) d GROUP BY sequence_key)`;
  return `SELECT CAST(CONVERT(sequence_key USING utf8mb4) AS CHAR) AS \`key\`, IF(issued > highest, 'missing', 'not-issued') AS kind,
  CAST(1 + LEAST(issued, highest) AS CHAR) AS first, CAST(GREATEST(issued, highest) AS CHAR) AS last
FROM (
  SELECT n.sequence_key, n.last_number AS issued, COALESCE(m.highest, ${none}) AS highest FROM ${issued} n LEFT JOIN ${ends} m USING (sequence_key)
  UNION SELECT m.sequence_key, COALESCE(n.last_number, ${none}), m.highest FROM ${ends} m LEFT JOIN ${issued} n USING (sequence_key)
) both_ends
WHERE issued <> highest LIMIT ${most}`;
}

export const mysqlGaps: GapStatements = {
  mismatchStatement,
  uniqueStatement,
  stepsStatement,
  endsStatement,
};
