import { columnName, isNumberColumn } from '@ids/config/swap';
import type { Row, SqlExecutor } from '@ids/store';
import { allRowsStatement } from '@ids/store/postgres';
import { type FoundColumn, noColumn, noTable, unreadable, type Wanted } from './found-column.js';
import { narrowSequences, SEQUENCES } from './postgres-sequences.js';

/** A table that was found. */
interface Found {
  readonly oid: string;
  readonly schema: string;
  readonly table: string;
}

/** Tables outside the catalogs, and whether they are on the search path. */
const TABLES = `
SELECT c.oid::text AS oid, n.nspname::text AS schema, c.relname::text AS "table"
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'`;

const ON_PATH = 'n.nspname = ANY (current_schemas(false))';

/** $1 the oid of the table, $2 the column. Of a domain, the type that is under it. */
const COLUMN = `
WITH RECURSIVE base(oid, modifier, coll, refuses) AS (
  SELECT a.atttypid, a.atttypmod, a.attcollation,
    CASE WHEN a.attgenerated <> '' THEN 'expression' WHEN a.attidentity = 'a' THEN 'identity' END
  FROM pg_attribute a
  WHERE a.attrelid = $1::oid AND a.attname = $2 AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT t.typbasetype, t.typtypmod, b.coll, b.refuses
  FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype = 'd'
)
SELECT t.typname AS type, format_type(b.oid, NULL) AS shown, b.modifier, b.refuses,
  coalesce(c.collisdeterministic, true) AS deterministic, quote_ident(n.nspname) || '.' || quote_ident(c.collname) AS collation
FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd'
LEFT JOIN pg_collation c ON c.oid = b.coll LEFT JOIN pg_namespace n ON n.oid = c.collnamespace`;

/** The same parameters. */
const COUNTERS = `
WITH ${SEQUENCES}, allowed AS (
  SELECT c.oid, n.nspname::text AS schema, c.relname::text AS name, has_sequence_privilege(c.oid, 'SELECT') AS allowed
  FROM sequences s JOIN pg_class c ON c.oid = s.oid AND c.relkind = 'S'
  JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_sequence q ON q.seqrelid = c.oid AND q.seqincrement > 0
)
SELECT schema, name, allowed, CASE WHEN allowed THEN pg_sequence_last_value(oid)::text END AS last FROM allowed`;

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

export async function readPostgresColumn(database: SqlExecutor, wanted: Wanted): Promise<FoundColumn> {
  const { name, column } = wanted;
  const table = await tableOf(database, wanted);
  const [row] = (await database.execute(COLUMN, [table.oid, column])).rows;
  if (row === undefined)
    throw noColumn(wanted, [table.schema, table.table], await columnsOf(database, table));
  const { type, shown, modifier, refuses } = row;
  const sql = { table: `${quoted(table.schema)}.${quoted(table.table)}`, column: quoted(column) };
  const maxLength = lengthOf(type, Number(modifier));
  const maxId = await reading(database, wanted, sql, async () => {
    if (isNumberColumn({ type: String(shown) })) return await greatest(database, sql, String(type));
    await database.execute(`SELECT ${sql.column} FROM ${sql.table} WHERE false`, []);
    return undefined;
  });
  await assertAllRows(database, wanted, sql);
  const counter = wanted.counted ? await counterOf(database, wanted, table) : undefined;
  const isNarrow = type === 'int2' || type === 'int4';
  const narrow = isNarrow ? [] : await narrowSequences(database, table.oid, column);
  return {
    name,
    found: columnName([table.schema, table.table, column]),
    sql,
    type: String(shown),
    ignoresCase: await ignoresCase(database, row),
    ...(maxLength !== undefined && { maxLength }),
    ...(maxId !== undefined && { maxId }),
    ...(counter !== undefined && { counter }),
    ...((refuses === 'identity' || refuses === 'expression') && { refuses }),
    ...(narrow.length > 0 && { narrow }),
  };
}

/** The one table of that name: in the schema that is given, or on the search path. */
async function tableOf(database: SqlExecutor, wanted: Wanted): Promise<Found> {
  const { schema, table, column } = wanted;
  const where = schema === undefined ? ON_PATH : 'n.nspname = $2';
  const given = schema === undefined ? [table] : [table, schema];
  const text = `${TABLES} AND c.relname = $1 AND ${where} ORDER BY array_position(current_schemas(false), n.nspname)`;
  const [found, ...others] = (await database.execute(text, given)).rows.map(asFound);
  if (found === undefined) {
    const near = await database.execute(`${TABLES} ORDER BY ${ON_PATH} DESC, 2, 3 LIMIT 10000`, []);
    const paths = await database.execute("SELECT array_to_string(current_schemas(false), ', ') AS path", []);
    const path =
      schema === undefined ? ` on the search path (${paths.rows[0]?.path || 'which is empty'})` : '';
    throw noTable(wanted, path, near.rows.map(asFound));
  }
  if (others.length === 0) return found;
  const [first, ...more] = [found, ...others].map((one) => columnName([one.schema, one.table, column]));
  throw unreadable(
    wanted,
    `more than one table of this name is on the search path, and the first need not be the one that is meant: write ${first} or ${more.join(' or ')}`,
  );
}

function asFound({ oid, schema, table }: Row): Found {
  return { oid: String(oid), schema: String(schema), table: String(table) };
}

async function columnsOf(database: SqlExecutor, { oid }: Found): Promise<string[]> {
  const text =
    'SELECT attname::text AS name FROM pg_attribute WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped';
  return (await database.execute(text, [oid])).rows.map((row) => String(row.name));
}

/** Names contain no quotes: see `COLUMN_NAME`, and those of the catalogs are doubled. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** If the role may not read the column, the error names role, right and the statement that grants it. */
async function reading<T>(
  database: SqlExecutor,
  wanted: Wanted,
  { table, column }: FoundColumn['sql'],
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    if (code !== DENIED) throw error;
    const { role } = await currentRole(database);
    const right = /schema/.test(String(message))
      ? `GRANT USAGE ON SCHEMA ${table.slice(0, table.indexOf('".') + 1)}`
      : `GRANT SELECT (${column}) ON ${table}`;
    throw unreadable(wanted, `role "${role}" may not read it: ${message}. ${right} TO "${role}"`, error);
  }
}

const DENIED = '42501';

/** Throws where row-level security hides rows: the greatest number would be that of the others. */
async function assertAllRows(database: SqlExecutor, wanted: Wanted, sql: FoundColumn['sql']): Promise<void> {
  const probe = `SELECT ${sql.column} FROM ${sql.table} WHERE false`;
  try {
    await database.execute(allRowsStatement('$1'), [probe]);
  } catch (error) {
    if (Object(error).code !== DENIED) throw error;
    const { role } = await currentRole(database);
    throw unreadable(
      wanted,
      `row-level security may hide rows from role "${role}", so the greatest ID is not known (${Object(error).message}): run this as the owner of the table or as a role with BYPASSRLS`,
      error,
    );
  }
}

async function counterOf(
  database: SqlExecutor,
  wanted: Wanted,
  { oid, schema, table }: Found,
): Promise<FoundColumn['counter']> {
  const { rows } = await database.execute(COUNTERS, [oid, wanted.column]);
  const denied = rows.find(({ allowed }) => allowed !== true);
  if (denied !== undefined) {
    const { role } = await currentRole(database);
    const sequence = `${quoted(String(denied.schema))}.${quoted(String(denied.name))}`;
    const why = `role "${role}" may not read sequence ${sequence}, which numbers its rows. GRANT SELECT ON SEQUENCE ${sequence} TO "${role}"`;
    throw unreadable(wanted, why);
  }
  const counted = rows.flatMap(({ schema: of, name, last }) => {
    const where = `sequence ${columnName([String(of), String(name)])} of ${columnName([schema, table, wanted.column])}`;
    return typeof last === 'string' ? [{ where, upTo: BigInt(last) }] : [];
  });
  return counted.toSorted((a, b) => (a.upTo < b.upTo ? 1 : -1))[0];
}

/** What sorts after all numbers of a type, and is none. */
const NO_NUMBER: Readonly<Record<string, string>> = {
  numeric: 'NaN',
  float4: 'Infinity',
  float8: 'Infinity',
};

async function greatest(
  database: SqlExecutor,
  { table, column }: FoundColumn['sql'],
  type: string,
): Promise<bigint | undefined> {
  const end = NO_NUMBER[type];
  const numbers = end === undefined ? '' : ` WHERE ${column} < '${end}'`;
  // As numeric: of a bigint, trunc would make a double, which rounds numbers above 2^53. A cast of a double
  // to numeric keeps only 15 digits; its text has all.
  const max = type.startsWith('float') ? `max(${column})::float8::text` : `max(${column})`;
  const text = `SELECT trunc(${max}::numeric)::text AS max FROM ${table}${numbers}`;
  const { rows } = await database.execute(text, []);
  const greatestId = rows[0]?.max;
  return typeof greatestId === 'string' ? BigInt(greatestId) : undefined;
}

/**
 * Asks the server, since the name of a collation does not show it. Deterministic collations finally compare
 * bytes.
 */
async function ignoresCase(database: SqlExecutor, { type, deterministic, collation }: Row): Promise<boolean> {
  if (type === 'citext') return true;
  if (deterministic === true || typeof collation !== 'string') return false;
  const { rows } = await database.execute(`SELECT 'a' = 'A' COLLATE ${collation} AS same`, []);
  return rows[0]?.same === true;
}

/** The role that runs statements, in which schema a table without one is created, and in which database. */
export async function currentRole(
  database: SqlExecutor,
): Promise<{ role: string; schema: string; catalog: string }> {
  const text = 'SELECT current_user AS role, current_schema() AS schema, current_database() AS catalog';
  const [{ role, schema, catalog } = {}] = (await database.execute(text, [])).rows;
  return { role: String(role), schema: String(schema ?? 'public'), catalog: String(catalog) };
}
