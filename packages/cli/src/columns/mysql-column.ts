import { columnName, isNumberColumn } from '@ids/config/swap';
import type { Row, SqlExecutor } from '@ids/store';
import { isDenied } from '@ids/store/mysql';
import { type FoundColumn, noColumn, noTable, unreadable, type Wanted } from './found-column.js';
import { mysqlDeclaration } from './mysql-declaration.js';

/** In the words of Postgres. */
const TYPES: Readonly<Record<string, string>> = {
  int: 'integer',
  smallint: 'smallint',
  bigint: 'bigint',
  decimal: 'numeric',
  varchar: 'character varying',
  char: 'character',
  float: 'real',
  double: 'double precision',
  text: 'text',
};

/** Names become part of the SQL: `COLUMN_NAME` lets no quote and no backslash into them. */
export async function readMysqlColumn(database: SqlExecutor, wanted: Wanted): Promise<FoundColumn> {
  const { name, schema, table, column } = wanted;
  const where = `TABLE_SCHEMA = ${schema === undefined ? 'DATABASE()' : `'${schema}'`} AND TABLE_NAME = '${table}'`;
  const text = `SELECT DATA_TYPE AS type, CAST(CHARACTER_MAXIMUM_LENGTH AS char) AS length,
  CAST(NUMERIC_PRECISION - NUMERIC_SCALE AS char) AS digits, COLLATION_NAME AS collation, EXTRA AS extra,
  TABLE_SCHEMA AS home, TABLE_NAME AS tbl, COLUMN_NAME AS col
FROM information_schema.COLUMNS WHERE ${where} AND COLUMN_NAME = '${column}'`;
  const [row] = (await database.execute(text, [])).rows;
  if (row === undefined) throw await whyNone(database, wanted);
  const parts = [row.home, row.tbl, row.col].map(String);
  const [home = '', tbl = '', col = ''] = parts;
  const sql = { table: `\`${home}\`.\`${tbl}\``, column: `\`${col}\`` };
  const found = columnName(parts);
  const type = TYPES[String(row.type)] ?? String(row.type);
  const limited = ['character varying', 'character'].includes(type);
  const limit = type === 'numeric' ? row.digits : limited ? row.length : undefined;
  const greatest = isNumberColumn({ type }) ? await greatestIn(database, wanted, sql) : null;
  const counts = wanted.counted && /auto_increment/i.test(String(row.extra));
  const counter = counts ? await counterOf(database, wanted, sql, found) : undefined;
  return {
    name,
    found,
    sql,
    type,
    ignoresCase: /_ci$/.test(String(row.collation)),
    ...(limit !== undefined && { maxLength: Number(limit) }),
    ...(greatest !== null && { maxId: BigInt(greatest) }),
    ...(counter !== undefined && { counter }),
    ...(COMPUTED.test(String(row.extra)) && { refuses: 'expression' }),
  };
}

/** MySQL also writes DEFAULT_GENERATED, for a default that is an expression: that column takes values. */
const COMPUTED = /\b(?:STORED|VIRTUAL) GENERATED\b/i;

/** Columns that the account may not read are hidden like missing ones, and must not be taken for them. */
async function whyNone(database: SqlExecutor, wanted: Wanted): Promise<Error> {
  const { schema, table, column } = wanted;
  const sql = [schema, table].flatMap((part) => (part === undefined ? [] : [`\`${part}\``])).join('.');
  try {
    await database.execute(`SELECT \`${column}\` FROM ${sql} WHERE FALSE`, []);
  } catch (error) {
    if (isDenied(error)) return unreadable(wanted, Object(error).message, error);
  }
  const { rows } = await database.execute(
    `SELECT t.TABLE_SCHEMA AS home, t.TABLE_NAME AS tbl, c.COLUMN_NAME AS col, DATABASE() AS own
FROM information_schema.TABLES t JOIN information_schema.COLUMNS c ON c.TABLE_SCHEMA = t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME
WHERE t.TABLE_SCHEMA NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys') ORDER BY t.TABLE_SCHEMA = DATABASE() DESC LIMIT 10000`,
    [],
  );
  const own = rows[0]?.own ?? undefined;
  const home = schema ?? (own === undefined ? undefined : String(own));
  const isWanted = (row: Row): boolean => row.home === home && row.tbl === table;
  const columns = rows.filter(isWanted).map(({ col }) => String(col));
  if (home !== undefined && columns.length > 0) return noColumn(wanted, [home, table], columns);
  const names = new Map(rows.map((row) => [`${row.home}.${row.tbl}`, asTable(row)]));
  return noTable(wanted, schema === undefined ? ` in database ${home ?? '(none is chosen)'}` : '', [
    ...names.values(),
  ]);
}

function asTable({ home, tbl }: Row): { schema: string; table: string } {
  return { schema: String(home), table: String(tbl) };
}

async function greatestIn(
  database: SqlExecutor,
  wanted: Wanted,
  { table, column }: FoundColumn['sql'],
): Promise<string | null> {
  // As decimal first: great doubles would be written with an exponent.
  const exact = `CAST(TRUNCATE(MAX(${column}), 0) AS decimal(65, 0))`;
  const text = `SELECT CAST(${exact} AS char) AS max FROM ${table}`;
  try {
    const max = (await database.execute(text, [])).rows[0]?.max;
    return typeof max === 'string' ? max : null;
  } catch (error) {
    // A name in another case is found by the catalog, and not by the table.
    const { errno, message } = Object(error) as { errno?: unknown; message?: unknown };
    throw isDenied(error) || errno === NO_SUCH_TABLE ? unreadable(wanted, String(message), error) : error;
  }
}

const NO_SUCH_TABLE = 1146;

/** The last number that `AUTO_INCREMENT` gave: also to rows that are gone, or that are not committed yet. */
async function counterOf(
  database: SqlExecutor,
  wanted: Wanted,
  { table }: FoundColumn['sql'],
  found: string,
): Promise<FoundColumn['counter']> {
  // Not information_schema, where MySQL answers with what it knew up to a day ago.
  const declaration = await mysqlDeclaration(database, table).catch((error: unknown) => {
    if (!isDenied(error)) throw error;
    const { message } = Object(error) as { readonly message?: unknown };
    throw unreadable(wanted, `AUTO_INCREMENT cannot be read without SELECT on ${table}: ${message}`, error);
  });
  const [, next] = /^\).*?\bAUTO_INCREMENT=(\d+)/m.exec(declaration) ?? [];
  return next === undefined ? undefined : { where: `AUTO_INCREMENT of ${found}`, upTo: BigInt(next) - 1n };
}
