import { IdError } from '@ids/core';

/** What a table of ours looks like. */
export interface TableShape {
  /** For messages: `segment table`. */
  readonly what: string;
  /** The definition of each column, by its name; the first word is the type. */
  readonly columns: Readonly<Record<string, string>>;
  /** Constraints of the table and what follows the columns, as SQL. */
  readonly constraints?: readonly string[];
  readonly options?: string;
  /** The primary key, if the statements on the table rely on it. */
  readonly key?: string;
}

/** The statement that creates the table unless something of this name exists. */
export function createTable({ columns, constraints = [], options }: TableShape, quoted: string): string {
  const parts = [...Object.entries(columns).map((column) => column.join(' ')), ...constraints];
  return `CREATE TABLE IF NOT EXISTS ${quoted} (\n  ${parts.join(',\n  ')}\n)${options === undefined ? '' : ` ${options}`}`;
}

/** The columns with their types. */
export function typesOf(columns: TableShape['columns']): [name: string, type: string][] {
  return Object.entries(columns).map(([name, definition]) => [name, definition.split(' ', 1)[0] as string]);
}

/** A table that somebody else uses, or that cannot do what a table of ours must. */
export class WrongTableError extends IdError {
  constructor(about: string, message: string) {
    super('ERR_IDS_CONFIG', `${about}: ${message} (${NAME_ANOTHER})`);
  }
}

export const NAME_ANOTHER = 'name another table; this one can be used by whoever it belongs to';

/** What is wrong with a table, for a message that ends with what was found. */
export function wrongShape({ what, columns, key }: TableShape, table: string): string {
  const expected = typesOf(columns).map((column) => column.join(' '));
  if (key !== undefined) expected.push(key);
  return `${table} is not a ${what}, and nothing was changed: expected ${expected.join(', ')}; found `;
}

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
  const keyOf =
    "(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p')";
  return `(SELECT CASE WHEN c.relkind IN ('r', 'p') THEN '' ELSE 'no table, but ' END || concat_ws(', ',
    (SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), ${keyOf})
  FROM pg_class c WHERE c.oid = to_regclass(${name}) AND (c.relkind NOT IN ('r', 'p')${key === undefined ? '' : ` OR ${keyOf} IS DISTINCT FROM '${key}'`} OR EXISTS (
    SELECT FROM (VALUES ${rows.join(', ')}) expected (column_name, type, required)
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = column_name AND NOT a.attisdropped
    WHERE CASE WHEN a.attname IS NULL THEN required ELSE a.atttypid <> type END)))`;
}
