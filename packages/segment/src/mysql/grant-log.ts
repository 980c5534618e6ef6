import { bytesOf, type MysqlExecutor, mysqlTable, numberOf, tableSql } from '@ids/store/mysql';
import { MAX_STEP } from '../segment.js';
import { noSuchSequence } from '../segment-source.js';
import type { GrantRows } from '../table/dialect.js';
import { SEGMENT_TABLE } from '../table/wording.js';

/** The grants of `whoIssued` on MySQL. */
export async function mysqlGrantsWith(
  executor: MysqlExecutor,
  table: string,
  name: string,
  id: number,
): Promise<GrantRows> {
  const { quoted, log } = mysqlTable(table);
  const [key, at] = [bytesOf(name), numberOf(id)];
  // No segment is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `SELECT CAST(s.max_id AS char) AS max_id,
  (SELECT CAST(min(o.low) AS char) FROM ${log} o WHERE o.server_name = ${key}) AS log_start,
  CAST(l.low AS char) AS low, CAST(l.high AS char) AS high, l.owner,
  CAST(1000 * UNIX_TIMESTAMP(l.granted_at) AS char) AS granted_ms
FROM ${quoted} s LEFT JOIN ${log} l
  ON l.server_name = ${key} AND l.low BETWEEN ${at} - ${MAX_STEP - 1} AND ${at} AND l.high >= ${at}
WHERE s.server_name = ${key} ORDER BY l.granted_at DESC`;
  const [first, ...others] = await tableSql(executor, table, SEGMENT_TABLE).rows(text);
  if (first === undefined) throw noSuchSequence(name, `table ${table}`);
  return [first, ...others];
}
