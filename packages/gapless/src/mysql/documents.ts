import { mysqlTable, textOf } from '@ids/store/mysql';
import type { Documents } from '../table/documents.js';

/** As on Postgres. The bytes of a key, whatever the collation of its column. */
export function numberedRows(documents: Documents): string {
  return `SELECT CAST(CONVERT(d.k USING utf8mb4) AS BINARY) AS sequence_key, d.number FROM (${plainRows(documents)}) d`;
}

/** As on Postgres; the key is `k`. In a mode of MariaDB, the literal of an empty string is null. */
export function plainRows({ table, column, keyColumn, format, perYear = false }: Documents): string {
  const group = (nth: number) =>
    `REGEXP_REPLACE(${exact(column)}, ${textOf(format?.pattern.source ?? '')}, /*M!100000 ${textOf(`\\${nth}`)} */ /*!80000 ${textOf(`$${nth}`)} */)`;
  const number = format
    ? `CASE WHEN ${matches(column, format.pattern)} THEN CAST(${group(format.groups.number)} AS SIGNED) END`
    : `d.\`${column}\``;
  const year = format && perYear ? `CAST(${group(format.groups.year)} AS SIGNED)` : undefined;
  const own = keyColumn === undefined ? undefined : `d.\`${keyColumn}\``;
  const key =
    own && year
      ? `CONCAT_WS('/', IF(LENGTH(${own}) = 0, NULL, ${own}), ${year})`
      : (own ?? year ?? 'SPACE(0)');
  const named = own === undefined ? '' : ` AND ${own} IS NOT NULL`;
  return `SELECT ${key} AS k, ${number} AS number FROM ${mysqlTable(table).quoted} d WHERE d.\`${column}\` IS NOT NULL${named}`;
}

/** Of numbers only, the type has a precision. */
export function mismatchStatement({ table, column, format }: Documents): string {
  const { quoted, isThis } = mysqlTable(table);
  if (format === undefined)
    return `SELECT CAST(count(*) AS CHAR) AS wrong, CAST(min(DATA_TYPE) AS CHAR) AS example
FROM information_schema.COLUMNS WHERE ${isThis} AND COLUMN_NAME = '${column}' AND NUMERIC_PRECISION IS NULL`;
  return `SELECT CAST(count(*) AS CHAR) AS wrong, CAST(min(d.\`${column}\`) AS CHAR) AS example
FROM ${quoted} d WHERE d.\`${column}\` IS NOT NULL AND NOT ${matches(column, format.pattern)}`;
}

function exact(column: string): string {
  return `CONVERT(d.\`${column}\` USING utf8mb4) COLLATE utf8mb4_bin`;
}

function matches(column: string, pattern: RegExp): string {
  return `(${exact(column)} REGEXP ${textOf(pattern.source)})`;
}
