import { sqliteTable } from '@ids/store/sqlite';
import type { Documents } from '../table/documents.js';
import { type PatternSql, patternSql } from './pattern.js';

/** As on Postgres. */
export function numberedRows(documents: Documents): string {
  return `SELECT lower(hex(CAST(d."key" AS text))) AS sequence_key, d.number FROM (${plainRows(documents)}) d`;
}

/** As on Postgres. */
export function plainRows(documents: Documents): string {
  const { table, column, keyColumn, format, perYear = false } = documents;
  const pattern = format && patternOf(documents);
  const number = pattern
    ? `CASE WHEN ${pattern.matches} THEN ${pattern.group(format?.groups.number ?? 0)} END`
    : `d."${column}"`;
  const year = pattern && perYear ? `CAST(${pattern.group(format?.groups.year ?? 0)} AS text)` : undefined;
  const own = keyColumn === undefined ? undefined : `d."${keyColumn}"`;
  const key =
    own && year ? `COALESCE(NULLIF(CAST(${own} AS text), '') || '/', '') || ${year}` : (own ?? year ?? "''");
  const named = own === undefined ? '' : ` AND ${own} IS NOT NULL`;
  return `SELECT ${key} AS "key", ${number} AS number FROM ${sqliteTable(table).quoted} d WHERE d."${column}" IS NOT NULL${named}`;
}

/** A value has a type of its own. */
export function mismatchStatement(documents: Documents): string {
  const { table, column, format } = documents;
  if (format === undefined)
    return `SELECT CAST(count(*) AS text) AS wrong, min(typeof(d."${column}")) AS example
FROM ${sqliteTable(table).quoted} d WHERE typeof(d."${column}") IN ('text', 'blob')`;
  return `SELECT CAST(count(*) AS text) AS wrong, CAST(min(d."${column}") AS text) AS example
FROM ${sqliteTable(table).quoted} d WHERE d."${column}" IS NOT NULL AND NOT ${patternOf(documents).matches}`;
}

function patternOf({ column, format }: Documents): PatternSql {
  if (format === undefined) throw new TypeError('unreachable: only strings have a pattern');
  return patternSql(`CAST(d."${column}" AS text)`, format);
}
