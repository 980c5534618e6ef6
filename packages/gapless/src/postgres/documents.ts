import { quotedTable } from '@ids/store';
import { allRowsStatement as allRowsOf } from '@ids/store/postgres';
import type { Documents } from '../table/documents.js';
import { text } from './statements.js';

/** The rows of a table as `sequence_key` and `number`. */
export function numberedRows(documents: Documents): string {
  return `SELECT convert_to(d.key::text, 'UTF8') AS sequence_key, d.number FROM (${plainRows(documents)}) d`;
}

/**
 * The rows of a table as `key` and `number`. Without a format, both are its columns, so an index on them can
 * be used. Strings that are not of the format have no number.
 */
export function plainRows({ table, column, keyColumn, format, perYear = false }: Documents): string {
  const match = format && `regexp_match(d."${column}"::text, ${text(format.pattern.source)})`;
  const group = (nth: number) => `(${match})[${nth}]`;
  const number = format ? `${group(format.groups.number)}::bigint` : `d."${column}"`;
  const year = format && perYear ? `(${group(format.groups.year)})::int::text` : undefined;
  const own = keyColumn === undefined ? undefined : `d."${keyColumn}"`;
  const key = own && year ? `concat_ws('/', NULLIF(${own}::text, ''), ${year})` : (own ?? year ?? "''");
  const named = own === undefined ? '' : ` AND ${own} IS NOT NULL`;
  return `SELECT ${key} AS key, ${number} AS number FROM ${quotedTable(table).table} d WHERE d."${column}" IS NOT NULL${named}`;
}

/** A domain is of the category of its type. */
export function mismatchStatement({ table, column, format }: Documents): string {
  const quoted = quotedTable(table).table;
  if (format === undefined)
    return `SELECT count(*)::text AS wrong, min(format_type(a.atttypid, NULL)) AS example
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = '${quoted}'::regclass AND a.attname = '${column}' AND t.typcategory <> 'N'`;
  return `SELECT count(*)::text AS wrong, min(d."${column}"::text) AS example
FROM ${quoted} d WHERE d."${column}"::text !~ ${text(format.pattern.source)}`;
}

/** Fails if row-level security may hide rows. */
export function allRowsStatement({ table, column }: Documents): string {
  return allRowsOf(text(`SELECT "${column}" FROM ${quotedTable(table).table} WHERE false`));
}
