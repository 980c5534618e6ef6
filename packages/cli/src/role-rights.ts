import type { SqlExecutor } from '@ids/segment/sql';

/** The name of a table, `table` or `schema.table`, for SQL. */
export function quotedTable(table: string): string {
  return table
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}

/** As whom statements run, and where a table without a schema in its name would be made. */
export async function currentRole(database: SqlExecutor): Promise<{ role: string; schema: string }> {
  const { rows } = await database.execute('SELECT current_user AS role, current_schema() AS schema', []);
  const [{ role, schema } = {}] = rows;
  return { role: String(role), schema: String(schema ?? 'public') };
}
