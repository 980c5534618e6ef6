import { groupAt, groupIn, type OpenGroup } from '@ids/segment';
import { NOW_MS } from '@ids/segment/sql';
import { bytesOf, type MysqlExecutor, mysqlTable, tableSql } from '@ids/store/mysql';
import { noSuchFamily } from '../keyed-source.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

/**
 * `groupNow` on MySQL. Changes nothing. Each answer is by the clock of the server that was asked, and of the
 * moment at which it was.
 */
export async function mysqlGroupOfNow(
  executor: MysqlExecutor,
  family: string,
  table: string,
): Promise<OpenGroup | undefined> {
  const { quoted } = mysqlTable(table);
  const text = `SELECT group_by, time_zone, ${NOW_MS} AS now_ms FROM ${quoted} WHERE server_name = ${bytesOf(family)}`;
  const [row] = await tableSql(executor, keyTableOf(table), KEY_TABLE).rows(text);
  if (row === undefined) throw noSuchFamily(family, `table ${table}`);
  const group = groupIn(row);
  return group && groupAt(group, Number(row.now_ms));
}
