/** As it is, or in quotes where SQL needs them; with no quote inside, since it becomes part of the SQL. */
const PART = '(?:[A-Za-z_][\\w$]*|"[^"\'`\\\\]+"|`[^"\'`\\\\]+`)';

export const COLUMN_NAME = new RegExp(`^${PART}(?:\\.${PART}){1,2}$`);

export const COLUMN_NAME_RULE =
  '"table.column" or "schema.table.column", with quotes around a name that SQL needs them for';

/** Of a name that `COLUMN_NAME` accepts, without quotes: the schema if there is one, table and column. */
export function columnParts(name: string): string[] {
  return [...name.matchAll(new RegExp(PART, 'g'))].map(([part]) => part.replaceAll(/["`]/g, ''));
}

/** The name of a column as a config has it. */
export function columnName(parts: readonly string[]): string {
  return parts.map((part) => (/^[A-Za-z_][\w$]*$/.test(part) ? part : `"${part}"`)).join('.');
}
