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
  const key = own && year ? `concat(${own}::text, '/', ${year})` : (own ?? year ?? "''");
  const named = own === undefined ? '' : ` AND ${own} IS NOT NULL`;
  return `SELECT ${key} AS key, ${number} AS number FROM ${quotedTable(table).table} d WHERE d."${column}" IS NOT NULL${named}`;
}

/** How many strings are not of the format, and one of them: `wrong`, `example`. */
export function mismatchStatement(documents: Documents): string {
  const { table, column, format } = documents;
  const pattern = text(format?.pattern.source ?? '');
  return `SELECT count(*)::text AS wrong, min(d."${column}"::text) AS example
FROM ${quotedTable(table).table} d WHERE d."${column}"::text !~ ${pattern}`;
}

/** Fails if row-level security may hide rows. */
export function allRowsStatement({ table, column }: Documents): string {
  return allRowsOf(text(`SELECT "${column}" FROM ${quotedTable(table).table} WHERE false`));
}
