import type { ReignChange } from '@ids/store';
import { type SqliteExecutor, sqliteChangeIn, sqliteTable, sqliteTableSql } from '@ids/store/sqlite';
import { NUMBER_TABLE, seriesTableOf } from '../table/names.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { onSqlite } from './run.js';
import { reignStatement, seriesOf, settleStatement } from './statements.js';
import { hexOf, inlined, type Step, textOf } from './work.js';

type Named = Pick<NumberRequest, 'name' | 'table'>;

/** Creates a series, unless it exists: a row if it was created. */
function creation({ name, table }: Named): Required<Step> {
  const { quoted } = seriesOf(table);
  return {
    text: `INSERT INTO ${quoted} (series) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM ${quoted} WHERE series = ?) RETURNING series`,
    values: [name, name],
  };
}

/** `createSeries` on SQLite. The file is asked for first, as for a sequence of segments. */
export async function createSqliteSeries(
  executor: SqliteExecutor,
  name: string,
  table: string,
): Promise<boolean> {
  const sql = sqliteTableSql(executor, seriesTableOf(table), NUMBER_TABLE);
  const { id } = await sql.home();
  const create = creation({ name, table });
  if ((await sql.rows(create.text, create.values, undefined, id)).length === 0) return false;
  const settle = settleStatement({ name, table }, id);
  await sql.rows(settle.text, settle.values, undefined, id);
  return true;
}

/** As on Postgres. */
export function createSqliteSeriesWithin(port: TransactionPort, request: NumberRequest): Promise<boolean> {
  return onSqlite(port, request, function* (home) {
    const created = (yield creation(request)).length > 0;
    if (created && home !== undefined) yield settleStatement(request, home);
    return created;
  });
}

/** As on Postgres. */
export function sqliteSeriesStatement(name: string, table: string, end: number): string {
  const isThis = `WHERE series = ${textOf(name)}`;
  return `SELECT CAST((SELECT count(*) FROM ${seriesOf(table).quoted} ${isThis}) AS text) AS known,
  CAST(count(*) AS text) AS "keys", CAST(COALESCE(max(last_number), 0) AS text) AS highest,
  CAST(count(CASE WHEN last_number >= ${end} THEN 1 END) AS text) AS used_up FROM ${sqliteTable(table).quoted} ${isThis}`;
}

/** `findSeriesChange` on SQLite. */
export async function sqliteSeriesChange(
  executor: SqliteExecutor,
  name: string,
  table: string,
): Promise<ReignChange | undefined> {
  const sql = sqliteTableSql(executor, seriesTableOf(table), NUMBER_TABLE);
  const { id } = await sql.home();
  const { text, values = [] } = reignStatement({ name, table });
  const [row] = await sql.rows(text, values, undefined, id);
  return row && sqliteChangeIn(row, id);
}

/** For a migration, which knows no file. */
export function createStatement(name: string, table: string): string {
  return inlined(creation({ name, table })).replace(/ RETURNING series$/, '');
}

/** `acceptSeries` on SQLite: whether there is such a series. */
export async function acceptSqliteSeries(
  executor: SqliteExecutor,
  name: string,
  table: string,
): Promise<boolean> {
  const sql = sqliteTableSql(executor, seriesTableOf(table), NUMBER_TABLE);
  const { id } = await sql.home();
  const text = `UPDATE ${seriesOf(table).quoted} SET reign_server = ? WHERE series = ? RETURNING series`;
  return (await sql.rows(text, [id, name], undefined, id)).length > 0;
}

/** As on Postgres. */
export function sqliteKeysStatement(name: string, table: string, key: string, prefix: string, most: number) {
  return `SELECT sequence_key AS "key" FROM ${sqliteTable(table).quoted}
WHERE series = ${textOf(name)} AND substr(sequence_key, 1, ${hexOf(prefix).length}) = '${hexOf(prefix)}'
ORDER BY sequence_key <> '${hexOf(key)}', sequence_key LIMIT ${most}`;
}
