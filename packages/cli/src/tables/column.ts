import { type ColumnFacts, isNumberColumn } from '@ids/config/swap';
import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { isMysql, mysqlColumn } from './mysql-queries.js';
import { assertColumnIsReadable } from './sqlite-queries.js';

/** $1 the table, quoted; $2 the column. Of a domain, the type that is under it. */
const COLUMN = `
WITH RECURSIVE base(oid, modifier, coll) AS (
  SELECT a.atttypid, a.atttypmod, a.attcollation FROM pg_attribute a
  WHERE a.attrelid = $1::text::regclass AND a.attname = $2 AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT t.typbasetype, t.typtypmod, b.coll FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype = 'd'
)
SELECT t.typname AS type, format_type(b.oid, NULL) AS shown, b.modifier,
  coalesce(c.collisdeterministic, true) AS deterministic, quote_ident(n.nspname) || '.' || quote_ident(c.collname) AS collation
FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd'
LEFT JOIN pg_collation c ON c.oid = b.coll LEFT JOIN pg_namespace n ON n.oid = c.collnamespace`;

/** The type modifier of a `varchar(n)` is n + 4. */
const MODIFIER_HEADER = 4;

/** How many characters the type holds, or digits before the point; undefined for no limit of its own. */
function lengthOf(type: unknown, modifier: number): number | undefined {
  if (modifier < MODIFIER_HEADER) return undefined;
  const limit = modifier - MODIFIER_HEADER;
  if (type === 'varchar' || type === 'bpchar') return limit;
  if (type !== 'numeric') return undefined;
  // The precision in the upper half, the scale in the lower 11 bits, with a sign.
  const scale = ((limit & 0x7ff) ^ 0x400) - 0x400;
  return (limit >>> 16) - scale;
}

/**
 * What the database knows about the column that holds ids: `table.column` or `schema.table.column`. Of its
 * data, reads only the greatest number.
 */
export async function columnFacts(database: SqlExecutor, name: string): Promise<ColumnFacts> {
  if (!/^[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*){1,2}$/.test(name)) {
    const rule = 'column must be "table.column" or "schema.table.column"';
    throw new IdError('ERR_IDS_CONFIG', `${rule}, got "${name}"`);
  }
  const parts = name.split('.');
  const column = parts.pop() ?? '';
  assertColumnIsReadable(database, name);
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
  const maxLength = lengthOf(type, Number(modifier));
  const ofNumbers = isNumberColumn({ type: String(shown) });
  const maxId = ofNumbers ? await greatest(database, { name, table, column }, String(type)) : undefined;
  return {
    name,
    type: String(shown),
    ignoresCase: await ignoresCase(database, row),
    ...(maxLength !== undefined && { maxLength }),
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

/** What sorts after all numbers of a type, and is none. */
const NO_NUMBER: Readonly<Record<string, string>> = {
  numeric: 'NaN',
  float4: 'Infinity',
  float8: 'Infinity',
};

async function greatest(
  database: SqlExecutor,
  { table, column }: Column,
  type: string,
): Promise<bigint | undefined> {
  const end = NO_NUMBER[type];
  const numbers = end === undefined ? '' : ` WHERE "${column}" < '${end}'`;
  // As numeric: of a bigint, trunc would make a double, which rounds numbers above 2^53. A cast of a double
  // to numeric keeps only 15 digits; its text has all.
  const max = type.startsWith('float') ? `max("${column}")::float8::text` : `max("${column}")`;
  const text = `SELECT trunc(${max}::numeric)::text AS max FROM ${table}${numbers}`;
  const { rows } = await database.execute(text, []);
  const greatestId = rows[0]?.max;
  return typeof greatestId === 'string' ? BigInt(greatestId) : undefined;
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
