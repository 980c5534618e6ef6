import { DEFAULT_TABLE, exactId, MAX_STEP, type Provenance, provenanceOf } from '@ids/segment';
import type { TableOptions } from '@ids/store';
import { bytesOf, type MysqlExecutor, mysqlError, mysqlTable, numberOf } from '@ids/store/mysql';
import { assertKey } from '../key.js';
import { noSuchKey } from '../table/answers.js';
import { KEY_TABLE, keyTableOf } from '../table/key-table.js';

/** `whoIssued` on MySQL. */
export async function whoIssuedMysql(
  executor: MysqlExecutor,
  family: string,
  key: string,
  id: number | bigint,
  { table = DEFAULT_TABLE }: TableOptions = {},
): Promise<Provenance> {
  assertKey(key);
  const value = exactId(id);
  const { name, quoted, log } = mysqlTable(keyTableOf(table));
  const isKey = (row: string): string =>
    `${row}.family = ${bytesOf(family)} AND ${row}.sequence_key = ${bytesOf(key)}`;
  const at = numberOf(value);
  // No reservation is longer than MAX_STEP, which limits how far down the index is searched.
  const text = `SELECT CAST(s.max_id AS char) AS max_id,
  (SELECT CAST(min(o.low) AS char) FROM ${log} o WHERE ${isKey('o')}) AS log_start,
  CAST(l.low AS char) AS low, CAST(l.high AS char) AS high, l.owner,
  CAST(1000 * UNIX_TIMESTAMP(l.granted_at) AS char) AS granted_ms
FROM ${quoted} s LEFT JOIN ${log} l
  ON ${isKey('l')} AND l.low BETWEEN ${at} - ${MAX_STEP - 1} AND ${at} AND l.high >= ${at}
WHERE ${isKey('s')} ORDER BY l.granted_at DESC`;
  try {
    const { rows } = await executor.execute(text, []);
    const [first, ...others] = rows;
    if (first === undefined) throw noSuchKey(family, key, name);
    return provenanceOf(value, [first, ...others]);
  } catch (error) {
    throw mysqlError(error, name, KEY_TABLE);
  }
}
