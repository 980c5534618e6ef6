import { type SqliteExecutor, sqliteTable, sqliteTableSql } from '@ids/store/sqlite';
import { MAX_STEP } from '../segment.js';
import { noSuchSequence } from '../segment-source.js';
import type { GrantRows } from '../table/dialect.js';
import { SEGMENT_TABLE } from '../table/wording.js';

/** The grants of `whoIssued` on SQLite. */
export async function sqliteGrantsWith(
  executor: SqliteExecutor,
  table: string,
  name: string,
  id: number,
): Promise<GrantRows> {
  const { quoted, log } = sqliteTable(table);
  // No segment is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `SELECT CAST(s.max_id AS text) AS max_id,
  (SELECT CAST(min(o.low) AS text) FROM ${log} o WHERE o.server_name = s.server_name) AS log_start,
  CAST(l.low AS text) AS low, CAST(l.high AS text) AS high, l.owner, CAST(l.granted_at AS text) AS granted_ms
FROM ${quoted} s LEFT JOIN ${log} l
  ON l.server_name = s.server_name AND l.low BETWEEN CAST(? AS integer) - ${MAX_STEP - 1} AND CAST(? AS integer)
    AND l.high >= CAST(? AS integer)
WHERE s.server_name = ? ORDER BY l.granted_at DESC`;
  const [first, ...others] = await sqliteTableSql(executor, table, SEGMENT_TABLE).rows(text, [
    id,
    id,
    id,
    name,
  ]);
  if (first === undefined) throw noSuchSequence(name, `table ${table}`);
  return [first, ...others];
}
