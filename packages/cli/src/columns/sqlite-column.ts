import { columnName, isNumberColumn } from '@ids/config/swap';
import type { Row, SqlExecutor } from '@ids/store';
import { type FoundColumn, noColumn, noTable, unreadable, type Wanted } from './found-column.js';

/** The affinity of a declared type, as a type of Postgres: https://www.sqlite.org/datatype3.html */
function typeOf(declared: string): string {
  if (/INT/i.test(declared)) return 'bigint';
  if (/CHAR|CLOB|TEXT/i.test(declared)) return 'text';
  if (/BLOB/i.test(declared) || declared === '') return 'blob';
  return /REAL|FLOA|DOUB/i.test(declared) ? 'double precision' : 'numeric';
}

/** Names become part of the SQL: `COLUMN_NAME` lets no quote into them. They are found in any case. */
export async function readSqliteColumn(database: SqlExecutor, wanted: Wanted): Promise<FoundColumn> {
  const { name, schema = 'main', table, column } = wanted;
  if (schema.toLowerCase() !== 'main')
    throw unreadable(wanted, `SQLite has its tables in "main", and not in "${schema}": write table.column`);
  const { rows } = await database.execute('SELECT name, type, hidden FROM pragma_table_xinfo(?, ?)', [
    table,
    schema,
  ]);
  const same = (row: Row): boolean => String(row.name).toLowerCase() === column.toLowerCase();
  const row = rows.find(same);
  if (row === undefined && rows.length > 0)
    throw noColumn(
      wanted,
      [table],
      rows.map((one) => String(one.name)),
    );
  if (row === undefined) throw await whyNone(database, wanted);
  const sql = { table: `"${schema}"."${table}"`, column: `"${row.name}"` };
  const found = columnName([...(wanted.schema === undefined ? [] : [schema]), table, String(row.name)]);
  const type = typeOf(String(row.type));
  const numbers = `SELECT CAST(MAX(CAST(${sql.column} AS integer)) AS text) AS max FROM ${sql.table}
WHERE typeof(${sql.column}) IN ('integer', 'real')`;
  const max = isNumberColumn({ type }) ? await numberIn(database, numbers) : undefined;
  const counter = wanted.counted ? await counterOf(database, { ...wanted, schema }, found) : undefined;
  const compared = `SELECT EXISTS (SELECT 1 FROM (SELECT ${sql.column} AS id FROM ${sql.table} WHERE false UNION ALL SELECT 'a') WHERE id = 'A') AS max`;
  return {
    name,
    found,
    sql,
    type,
    ignoresCase: (await numberIn(database, compared)) === 1n,
    ...(max !== undefined && { maxId: max }),
    ...(counter !== undefined && { counter }),
    ...(COMPUTED.includes(Number(row.hidden)) && { refuses: 'expression' }),
  };
}

/** What `pragma_table_xinfo` says of columns that are computed, virtual and stored. */
const COMPUTED: readonly number[] = [2, 3];

async function numberIn(database: SqlExecutor, text: string): Promise<bigint | undefined> {
  const max = (await database.execute(text, [])).rows[0]?.max ?? undefined;
  return max === undefined ? undefined : BigInt(String(max));
}

async function whyNone(database: SqlExecutor, wanted: Wanted): Promise<Error> {
  const tables =
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
  const { rows } = await database.execute(tables, []);
  return noTable(
    wanted,
    '',
    rows.map((row) => ({ schema: undefined, table: String(row.name) })),
  );
}

/** The greatest number that `AUTOINCREMENT` gave; undefined without one. Its table may not exist yet. */
async function counterOf(
  database: SqlExecutor,
  { schema, table }: Wanted,
  found: string,
): Promise<FoundColumn['counter']> {
  const exists = `SELECT 1 AS max FROM "${schema}".sqlite_master WHERE name = 'sqlite_sequence'`;
  if ((await numberIn(database, exists)) === undefined) return undefined;
  // Each statement is one transaction, and the table does not go away again.
  const { rows } = await database.execute(
    `SELECT CAST(seq AS text) AS seq FROM "${schema}".sqlite_sequence WHERE lower(name) = lower(?)`,
    [table],
  );
  const seq = rows[0]?.seq;
  return typeof seq === 'string' ? { where: `AUTOINCREMENT of ${found}`, upTo: BigInt(seq) } : undefined;
}
