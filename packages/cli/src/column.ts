import type { ColumnFacts } from '@ids/config';
import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/segment/sql';
import { isMysql, mysqlColumn } from './mysql-queries.js';

/** $1 the table, quoted; $2 the column. */
const COLUMN = `
SELECT t.typname AS type, format_type(a.atttypid, NULL) AS shown, a.atttypmod AS modifier,
  coalesce(c.collisdeterministic, true) AS deterministic, quote_ident(n.nspname) || '.' || quote_ident(c.collname) AS collation
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_collation c ON c.oid = a.attcollation LEFT JOIN pg_namespace n ON n.oid = c.collnamespace
WHERE a.attrelid = $1::text::regclass AND a.attname = $2 AND a.attnum > 0 AND NOT a.attisdropped`;

const WHOLE_TYPES = ['int2', 'int4', 'int8', 'numeric'];

/** The type modifier of a `varchar(n)` is n + 4. */
const MODIFIER_HEADER = 4;

/**
 * What the database knows about the column that holds ids: `table.column` or `schema.table.column`. Of its
 * data, reads only the greatest number.
 */
export async function columnFacts(database: SqlExecutor, name: string): Promise<ColumnFacts> {
  const parts = name.split('.');
  const column = parts.pop() ?? '';
  if (
    parts.length < 1 ||
    parts.length > 2 ||
    !parts.concat(column).every((part) => /^[A-Za-z_][\w$]*$/.test(part))
  ) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `column must be "table.column" or "schema.table.column", got "${name}"`,
    );
  }
  if (isMysql(database)) return mysqlColumn(database, name, [...parts, column]);
  const table = parts.map((part) => `"${part}"`).join('.');
  try {
    return await factsOf(database, { name, table, column });
  } catch (error) {
    throw await explained(error, database, { name, table, column });
  }
}

interface Column {
  readonly name: string;
  /** Quoted. */
  readonly table: string;
  readonly column: string;
}

async function factsOf(database: SqlExecutor, { name, table, column }: Column): Promise<ColumnFacts> {
  const [row] = (await database.execute(COLUMN, [table, column])).rows;
  if (row === undefined) throw new IdError('ERR_IDS_CONFIG', `column ${name}: there is no such column`);
  const { type, shown, modifier } = row;
  const limited = ['varchar', 'bpchar'].includes(String(type)) && Number(modifier) > 0;
  const whole = WHOLE_TYPES.includes(String(type));
  const maxId = whole ? await greatest(database, table, column) : undefined;
  return {
    name,
    type: String(shown),
    ignoresCase: await ignoresCase(database, row),
    ...(limited && { maxLength: Number(modifier) - MODIFIER_HEADER }),
    ...(maxId !== undefined && { maxId }),
  };
}

/**
 * The error with the name of the column. If the role may not read the column, also with the role, the right
 * and the statement that grants it.
 */
async function explained(
  error: unknown,
  database: SqlExecutor,
  { name, table, column }: Column,
): Promise<unknown> {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (code === '42P01' || code === '3F000')
    return new IdError('ERR_IDS_CONFIG', `column ${name}: ${message}`, { cause: error });
  if (code !== '42501') return error;
  const { role } = await currentRole(database);
  const schema = table.includes('.') ? table.slice(0, table.indexOf('.')) : undefined;
  const right =
    schema !== undefined && /schema/.test(String(message))
      ? `GRANT USAGE ON SCHEMA ${schema}`
      : `GRANT SELECT ("${column}") ON ${table}`;
  const denied = `role "${role}" may not read it: ${message}. ${right} TO "${role}"`;
  return new IdError('ERR_IDS_CONFIG', `column ${name}: ${denied}`, { cause: error });
}

async function greatest(database: SqlExecutor, table: string, column: string): Promise<bigint | undefined> {
  // As numeric: of a bigint, trunc would make a double, which rounds numbers above 2^53.
  const text = `SELECT trunc(max("${column}")::numeric)::text AS max FROM ${table}`;
  const { rows } = await database.execute(text, []);
  const max = rows[0]?.max;
  return typeof max === 'string' ? BigInt(max) : undefined;
}

/**
 * Asks the server, since the name of a collation does not show it. Deterministic collations finally compare
 * bytes.
 */
async function ignoresCase(
  database: SqlExecutor,
  { type, deterministic, collation }: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  if (type === 'citext') return true;
  if (deterministic === true || typeof collation !== 'string') return false;
  const { rows } = await database.execute(`SELECT 'a' = 'A' COLLATE ${collation} AS same`, []);
  return rows[0]?.same === true;
}

/** The role that runs statements, and the schema in which a table without a schema in its name is created. */
export async function currentRole(database: SqlExecutor): Promise<{ role: string; schema: string }> {
  const { rows } = await database.execute('SELECT current_user AS role, current_schema() AS schema', []);
  const [{ role, schema } = {}] = rows;
  return { role: String(role), schema: String(schema ?? 'public') };
}
