import {
  assertNoReplica,
  bytesOf,
  changeFrom,
  type MysqlExecutor,
  mysqlTable,
  SERVER_HERE,
  tableHere,
  tableSql,
} from '@ids/store/mysql';
import { NUMBER_TABLE, seriesTableOf } from '../table/names.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { proveOpen } from './open.js';

/** `createSeries` on MySQL: whether it was created. */
export async function createMysqlSeries(
  executor: MysqlExecutor,
  name: string,
  table: string,
): Promise<boolean> {
  const { sql, about } = seriesIn(executor, table);
  await assertNoReplica(sql.rows, about);
  return (await sql.attempt(() => executor.change(createStatement(name, table), 'DO 0'))).changed > 0;
}

/** As on Postgres. */
export async function createMysqlSeriesWithin(tx: TransactionPort, request: NumberRequest): Promise<boolean> {
  await proveOpen(tx, request);
  await assertNoReplica((text) => tx.run(text), aboutSeries(request.table));
  await tx.run(createStatement(request.name, request.table));
  const [row] = await tx.run('SELECT CAST(ROW_COUNT() AS CHAR) AS changed');
  return row?.changed === '1';
}

/** As on Postgres. */
export function mysqlSeriesStatement(name: string, table: string, end: number): string {
  const isThis = `WHERE series = ${bytesOf(name)}`;
  return `SELECT CAST((SELECT count(*) FROM ${mysqlTable(seriesTableOf(table)).quoted} ${isThis}) AS CHAR) AS known,
  CAST(count(*) AS CHAR) AS \`keys\`, CAST(COALESCE(max(last_number), 0) AS CHAR) AS highest,
  CAST(count(CASE WHEN last_number >= ${end} THEN 1 END) AS CHAR) AS used_up FROM ${mysqlTable(table).quoted} ${isThis}`;
}

/** As on Postgres. */
export function mysqlChangeStatement(name: string, table: string): string {
  return `SELECT ${changeFrom(SERVER_HERE, tableHere(mysqlTable(table)))} AS \`change\`
FROM ${mysqlTable(seriesTableOf(table)).quoted} WHERE series = ${bytesOf(name)}`;
}

/** Creates a series, unless it exists. */
export function createStatement(name: string, table: string): string {
  return `INSERT IGNORE INTO ${mysqlTable(seriesTableOf(table)).quoted} (series, reign_server, reign_table)
SELECT ${bytesOf(name)}, ${SERVER_HERE}, ${tableHere(mysqlTable(table))}`;
}

/** `acceptSeries` on MySQL: whether there is such a series. */
export async function acceptMysqlSeries(
  executor: MysqlExecutor,
  name: string,
  table: string,
): Promise<boolean> {
  const { quoted, sql } = seriesIn(executor, table);
  const isThis = `series = ${bytesOf(name)}`;
  const text = `UPDATE ${quoted} SET reign_server = ${SERVER_HERE}, reign_table = ${tableHere(mysqlTable(table))} WHERE ${isThis}`;
  await sql.commit(text);
  return (await sql.rows(`SELECT 1 AS found FROM ${quoted} WHERE ${isThis}`)).length > 0;
}

function seriesIn(executor: MysqlExecutor, table: string) {
  const series = seriesTableOf(table);
  const sql = tableSql(executor, series, NUMBER_TABLE);
  return { quoted: mysqlTable(series).quoted, sql, about: aboutSeries(table) };
}

function aboutSeries(table: string): string {
  return `${NUMBER_TABLE.what} ${seriesTableOf(table)}`;
}

/** As on Postgres. */
export function mysqlKeysStatement(name: string, table: string, key: string, prefix: string, most: number) {
  return `SELECT HEX(sequence_key) AS \`key\` FROM ${mysqlTable(table).quoted}
WHERE series = ${bytesOf(name)} AND LEFT(sequence_key, ${Buffer.byteLength(prefix)}) = ${bytesOf(prefix)}
ORDER BY sequence_key <> ${bytesOf(key)}, sequence_key LIMIT ${most}`;
}
