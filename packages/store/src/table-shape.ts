import { IdError } from '@ids/core';

/** How messages name a table, and what mends it. */
export interface TableWording {
  readonly what: string;
  /** The functions that create it, the one that does so at once first: `ensureSchema or segmentSchema`. */
  readonly create: string;
  /** What must be so where a table that was lost is created again; undefined if nothing must. */
  readonly lost?: string;
  /** The function that prints the grants of its roles. */
  readonly grants: string;
  /** The column that triggers keep from going back. */
  readonly column: string;
}

/** For a table that does not exist. */
export function missingTableHint({ create, lost }: TableWording): string {
  return `create the table with ${create}${lost === undefined ? '' : `; if it was lost, ${lost}`}`;
}

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

export const NAME_ANOTHER = 'choose another name; that table belongs to something else';

/** What is wrong with a table, for a message that ends with what was found. */
export function wrongShape({ what, columns, key }: TableShape, table: string): string {
  const expected = typesOf(columns).map((column) => column.join(' '));
  if (key !== undefined) expected.push(key);
  return `${table} is not a ${what}, and nothing was changed: expected ${expected.join(', ')}; found `;
}
