import { literal, sqliteTable } from '@ids/store/sqlite';
import type { Documents, GapStatements, SeriesEnds, StepOptions } from '../table/documents.js';
import { mismatchStatement, plainRows } from './documents.js';
import { textOf } from './work.js';

/** As on Postgres. */
function uniqueStatement({ table, column, keyColumn }: Documents): string {
  const columns = [column, ...(keyColumn === undefined ? [] : [keyColumn])].map(literal).join(', ');
  return `SELECT 1 AS found FROM pragma_index_list(${literal(sqliteTable(table).name)}) l
WHERE l."unique" AND NOT l.partial AND NOT EXISTS (
  SELECT 1 FROM pragma_index_info(l.name) i WHERE i.name IS NULL OR i.name NOT IN (${columns})
) LIMIT 1`;
}

/** As on Postgres. */
function stepsStatement(documents: Documents, { start, unique }: StepOptions, most: number): string {
  const from = start === 'lowest' ? 0 : start;
  const lowest = start === 'lowest' ? 'min(number)' : String(start);
  const counted = `d."key" IN (SELECT "key" FROM (${plainRows(documents)}) c WHERE number >= ${from}
    GROUP BY "key" HAVING count(*) <> max(number) - ${lowest} + 1)`;
  const before = start === 'lowest' ? 'lag(number)' : `lag(number, 1, ${start - 1})`;
  return `SELECT DISTINCT CAST("key" AS text) AS "key", iif(number = "before", 'repeated', 'missing') AS kind,
  CAST(iif(number = "before", number, "before" + 1) AS text) AS first,
  CAST(iif(number = "before", number, number - 1) AS text) AS last
FROM (
  SELECT "key", number, ${before} OVER (PARTITION BY "key" ORDER BY number) AS "before"
  FROM (${plainRows(documents)}) d WHERE number >= ${from}${unique ? ` AND ${counted}` : ''}
) steps
WHERE number > "before" + 1 OR number = "before"
LIMIT ${most}`;
}

/** As on Postgres. A key that only the series has comes as it stands there. */
function endsStatement(documents: Documents, { series, table, start }: SeriesEnds, most: number): string {
  const none = start === 'lowest' ? 0 : start - 1;
  return `SELECT "key", "hexKey", iif(issued > highest, 'missing', 'not-issued') AS kind,
  CAST(1 + min(issued, highest) AS text) AS first, CAST(max(issued, highest) AS text) AS last
FROM (
  SELECT m."key", n.sequence_key AS "hexKey", COALESCE(n.last_number, ${none}) AS issued, COALESCE(m.highest, ${none}) AS highest
  FROM (SELECT * FROM ${sqliteTable(table).quoted} WHERE series = ${textOf(series)}) n
  FULL JOIN (SELECT CAST("key" AS text) AS "key", max(number) AS highest FROM (${plainRows(documents)}) d GROUP BY d."key") m
    ON n.sequence_key = lower(hex(m."key"))
) both_ends
WHERE issued <> highest LIMIT ${most}`;
}

export const sqliteGaps: GapStatements = {
  mismatchStatement,
  uniqueStatement,
  stepsStatement,
  endsStatement,
};
