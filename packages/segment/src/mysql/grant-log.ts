import { assertSequenceName, MAX_STEP } from '../segment.js';
import { noSuchSequence } from '../segment-source.js';
import { exactId, type Provenance, provenanceOf } from '../store/grant-log.js';
import { DEFAULT_TABLE, type TableOptions } from '../store/table-name.js';
import { mysqlError } from './errors.js';
import type { MysqlExecutor } from './pool.js';
import { bytesOf, mysqlTable, numberOf } from './text.js';

/** `whoIssued` on MySQL. */
export async function whoIssuedMysql(
  executor: MysqlExecutor,
  name: string,
  id: number | bigint,
  { table = DEFAULT_TABLE }: TableOptions = {},
): Promise<Provenance> {
  assertSequenceName(name);
  const value = exactId(id);
  const { quoted, log } = mysqlTable(table);
  const [key, at] = [bytesOf(name), numberOf(value)];
  // No segment is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `SELECT CAST(s.max_id AS char) AS max_id,
  (SELECT CAST(min(o.low) AS char) FROM ${log} o WHERE o.server_name = ${key}) AS log_start,
  CAST(l.low AS char) AS low, CAST(l.high AS char) AS high, l.owner,
  CAST(1000 * UNIX_TIMESTAMP(l.granted_at) AS char) AS granted_ms
FROM ${quoted} s LEFT JOIN ${log} l
  ON l.server_name = ${key} AND l.low BETWEEN ${at} - ${MAX_STEP - 1} AND ${at} AND l.high >= ${at}
WHERE s.server_name = ${key} ORDER BY l.granted_at DESC`;
  try {
    const { rows } = await executor.execute(text, []);
    const [first, ...others] = rows;
    if (first === undefined) throw noSuchSequence(name, `table ${table}`);
    return provenanceOf(value, [first, ...others]);
  } catch (error) {
    throw mysqlError(error, table);
  }
}
