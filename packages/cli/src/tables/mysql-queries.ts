import { type ColumnFacts, isNumberColumn } from '@ids/config/swap';
import { IdError } from '@ids/core';
import type { SqlExecutor } from '@ids/store';
import { isDenied } from '@ids/store/mysql';

/*
 * What the commands ask a MySQL or a MariaDB, where Postgres is asked in another way. Names become part of
 * the SQL, so they are checked first.
 */

export function isMysql(database: SqlExecutor): boolean {
  return database.dialect === 'mysql';
}

/**
 * The server's product and version, the account, its clock in milliseconds since 1970, and whether it is
 * read-only.
 */
export async function mysqlServer(
  database: SqlExecutor,
): Promise<{ product: string; role: string; now: number; readOnly: boolean }> {
  const text = `SELECT VERSION() AS version, CURRENT_USER() AS role, @@GLOBAL.read_only AS read_only,
  CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000 AS char) AS now`;
  const [row] = (await database.execute(text, [])).rows;
  const { version, role, now, read_only: readOnly } = row ?? {};
  const product = /mariadb/i.test(String(version)) ? 'MariaDB' : 'MySQL';
  return {
    product: `${product} ${version}`,
    role: String(role),
    now: Number(now),
    readOnly: Number(readOnly) !== 0,
  };
}

/** Whether the account can see the triggers of a table. */
export async function seesTriggers(database: SqlExecutor): Promise<boolean> {
  const { rows } = await database.execute('SHOW GRANTS', []);
  const grants = rows.flatMap((row) => Object.values(row).map(String));
  return grants.some((grant) => /^GRANT .*\b(?:TRIGGER|ALL PRIVILEGES)\b.* ON /i.test(grant));
}

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

/**
 * As `columnFacts`, for a column in parts that were checked: database if it was given, table, column. Types
 * have the names that they have in Postgres.
 */
export async function mysqlColumn(
  database: SqlExecutor,
  name: string,
  parts: readonly string[],
): Promise<ColumnFacts> {
  const [column = '', table = '', schema] = parts.toReversed();
  const where = `TABLE_SCHEMA = ${schema === undefined ? 'DATABASE()' : `'${schema}'`} AND TABLE_NAME = '${table}'`;
  const text = `SELECT DATA_TYPE AS type, CAST(CHARACTER_MAXIMUM_LENGTH AS char) AS length,
  CAST(NUMERIC_PRECISION - NUMERIC_SCALE AS char) AS digits, COLLATION_NAME AS collation
FROM information_schema.COLUMNS WHERE ${where} AND COLUMN_NAME = '${column}'`;
  const [row] = (await database.execute(text, [])).rows;
  if (row === undefined) throw await noColumn(database, name, quoted(parts.slice(0, -1)), column);
  const type = TYPES[String(row.type)] ?? String(row.type);
  const ofNumbers = isNumberColumn({ type });
  const limited = ['character varying', 'character'].includes(type);
  const limit = type === 'numeric' ? row.digits : limited ? row.length : undefined;
  const greatest = ofNumbers ? await greatestIn(database, quoted(parts.slice(0, -1)), `\`${column}\``) : null;
  return {
    name,
    type,
    ignoresCase: /_ci$/.test(String(row.collation)),
    ...(limit !== undefined && { maxLength: Number(limit) }),
    ...(greatest !== null && { maxId: BigInt(greatest) }),
  };
}

/** Columns that the account may not read are hidden like missing ones, and must not be taken for them. */
async function noColumn(database: SqlExecutor, name: string, table: string, column: string): Promise<Error> {
  try {
    await database.execute(`SELECT \`${column}\` FROM ${table} WHERE FALSE`, []);
    return new IdError('ERR_IDS_CONFIG', `column ${name}: there is no such column`);
  } catch (error) {
    const because = isDenied(error) ? (error as Error).message : 'there is no such column';
    return new IdError('ERR_IDS_CONFIG', `column ${name}: ${because}`, { cause: error });
  }
}

async function greatestIn(database: SqlExecutor, table: string, column: string): Promise<string | null> {
  // As decimal first: great doubles would be written with an exponent.
  const exact = `CAST(TRUNCATE(MAX(${column}), 0) AS decimal(65, 0))`;
  const text = `SELECT CAST(${exact} AS char) AS max FROM ${table}`;
  const max = (await database.execute(text, [])).rows[0]?.max;
  return typeof max === 'string' ? max : null;
}

function quoted(parts: readonly string[]): string {
  return parts.map((part) => `\`${part}\``).join('.');
}
