import { quotedTable, type SqlExecutor } from '@ids/store';
import { refusable, type SchemaStep } from './schema-step.js';

/*
 * Where a table of Postgres is whose name has a schema. A database of MySQL is nothing that a command
 * creates, and SQLite has one schema.
 */

/** The step that creates the schema in the name of a table; undefined if there is one, or no name of it. */
export async function schemaOf(
  database: SqlExecutor | undefined,
  table: string,
): Promise<SchemaStep | undefined> {
  const { schema } = quotedTable(table);
  if (schema === undefined) return undefined;
  if (database !== undefined) {
    const text = 'SELECT to_regnamespace($1::text) IS NOT NULL AS there';
    if ((await database.execute(text, [schema])).rows[0]?.there === true) return undefined;
  }
  // CREATE SCHEMA IF NOT EXISTS needs the right to create one also where it exists.
  const sql = `DO $ids$ BEGIN
  IF to_regnamespace('${schema}') IS NULL THEN CREATE SCHEMA ${schema}; END IF;
END $ids$;
`;
  const what = `schema ${table.slice(0, table.indexOf('.'))}`;
  return {
    creates: [what],
    sql,
    run: async (to) => {
      const refused = { what: `create ${what}`, right: 'CREATE SCHEMA', table } as const;
      await refusable(to, refused, () => to.execute(sql, []));
      return true;
    },
  };
}

/**
 * The statements that move a table of the same name, which is found without a schema, with those that belong
 * to it; none if there is none.
 */
export async function movesOf(database: SqlExecutor, table: string): Promise<readonly string[]> {
  const [name = '', schema] = table.split('.').toReversed();
  if (schema === undefined) return [];
  const text = `SELECT n.nspname::text AS schema, c.relname::text AS name
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname IN ($1::text, $1::text || '_log', $1::text || '_key', $1::text || '_key_log') AND c.relkind IN ('r', 'p')
  AND n.nspname = ANY (current_schemas(false)) AND n.nspname <> $2 ORDER BY 1, 2`;
  const { rows } = await database.execute(text, [name, schema]);
  if (!rows.some((row) => row.name === name)) return [];
  const moves = rows.map((row) => `ALTER TABLE "${row.schema}"."${row.name}" SET SCHEMA "${schema}"`);
  return [`CREATE SCHEMA IF NOT EXISTS "${schema}"`, ...moves];
}
